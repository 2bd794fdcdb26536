//! The real binary in fresh repositories.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use zip::CompressionMethod;

use crate::golden::inputs;
use crate::inspect_log;

/// An empty repository.
pub(crate) struct Repository(TempDir);

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Self(TempDir::new().unwrap());
        let ran = repository.command("git").args(["init", "--quiet", "--initial-branch=main"]).status().unwrap();
        assert!(ran.success());
        repository
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn copy(&self, from: &str, to: &str) {
        self.write(to, fs::read(inputs().join(from)).unwrap());
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env("GIT_CONFIG_GLOBAL", "/dev/null").env("NO_COLOR", "1");
        command
    }

    /// Runs the binary; everything it printed, after its exit code.
    #[track_caller]
    pub(crate) fn holdpoint(&self, arguments: &[&str], code: i32) -> String {
        let Output { status, stdout, stderr } =
            self.command(env!("CARGO_BIN_EXE_holdpoint")).args(arguments).output().unwrap();
        let text = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}\n{text}");
        text
    }

    pub(crate) fn report(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path("reports/latest/report.json")).unwrap()).unwrap()
    }
}

/// A desk that answers what it is asked, given the prompt as its first argument.
const DESK: &str = "import sys\nprint('You have 30 days: ' + sys.argv[1])\n";

const CONFIGURATION: &str = "\
description: A desk
prompts: ['Answer: {{question}}']
providers: ['exec: python3 desk.py']
tests:
  - description: Days are named
    vars: {question: How long?}
    assert:
      - {type: contains, value: 30 days}
      - {type: icontains, value: '{{question}}'}
  - description: It is polite
    vars: {question: Why?}
    assert:
      - {type: contains, value: 30 days}
      - {type: llm-rubric, value: is polite}
  - description: Nothing is asserted
    vars: {question: And?}
";

fn with_desk() -> Repository {
    let repository = Repository::new();
    repository.write("desk.py", DESK);
    repository.write("promptfooconfig.yaml", CONFIGURATION);
    repository
}

fn statuses(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let cases = report["cases"].as_array().unwrap().iter();
    cases.map(|case| (text(&case["title"]), text(&case["status"]))).collect()
}

#[test]
fn an_imported_configuration_is_in_order_and_fails_only_where_placeholders_stand() {
    let repository = with_desk();
    let said = repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    assert!(said.contains("brought: 3 tests as 3 cases, 3 expectations"), "{said}");
    assert!(said.contains("promptfooconfig.yaml:14: placeholder: llm-rubric: is polite"), "{said}");
    assert!(repository.holdpoint(&["check"], 0).contains("1 workflow, 1 part, 3 cases in 1 set"));
    repository.holdpoint(&["run", "--all"], 10);
    let report = repository.report();
    for case in report["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let expected = if id.starts_with("days-are-named-") { "passed" } else { "failed" };
        assert_eq!(case["status"], expected, "{case:#}");
        for grade in case["trials"][0]["grades"].as_array().unwrap() {
            assert_eq!(grade["pass"], grade["grader"] != "placeholder", "{grade}");
        }
    }
    assert_eq!(report["cases"].as_array().unwrap().len(), 3);
    assert!(fs::read_to_string(repository.path(".gitignore")).unwrap().contains("/.holdpoint/"));
}

/// Assertions that are code, each with whether it passes for the desk's answer.
const CODE: [(&str, bool); 14] = [
    ("{type: python, value: 'len(output) < 100 and context[\"vars\"][\"question\"] == \"How long?\"'}", true),
    ("{type: python, value: 'len(output) > 100'}", false),
    ("{type: not-python, value: 'len(output) > 100'}", true),
    ("{type: python, value: '0.4', threshold: 0.5}", false),
    ("{type: python, value: 'file://checks/tone.py'}", true),
    ("{type: python, value: 'file://checks/tone.py:refuses'}", false),
    ("{type: javascript, value: 'output.includes(\"30 days\") && context.vars.question === \"How long?\"'}", true),
    ("{type: javascript, value: 'file://checks/length.cjs', threshold: 99}", false),
    // The answer is `You have 30 days: Answer: How long?`.
    ("{type: levenshtein, value: 'You had 31 days: Answer: {{question}}', threshold: 3}", true),
    ("{type: levenshtein, value: 'You had 31 days: Answer: {{question}}', threshold: 2}", false),
    ("{type: levenshtein, value: 'You had 41 days: Answer: Now long?'}", true),
    ("{type: not-levenshtein, value: 'Something else', threshold: 9}", true),
    ("{type: not-is-json}", true),
    ("{type: not-levenshtein, value: 'You have 30 days: Answer: How long?'}", false),
];

#[test]
fn a_program_gets_options_and_context_beside_the_prompt() {
    let repository = Repository::new();
    let desk = "import json, sys\nprompt, options, context = sys.argv[1:]\n\
                print(prompt, json.loads(options)['config']['tone'], json.loads(context)['vars']['question'])\n";
    repository.write("desk.py", desk);
    let provider = "{id: 'exec: python3 desk.py', config: {tone: warm, apiKey: sk-not-to-be-copied}}";
    let test = "{description: all three, vars: {question: How?}, assert: [{type: equals, value: 'Q: How? warm How?'}]}";
    repository.write(
        "promptfooconfig.yaml",
        format!("prompts: ['Q: {{{{question}}}}']\nproviders: [{provider}]\ntests: [{test}]\n"),
    );
    let said = repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    assert!(said.contains("`apiKey` of the program") && !said.contains("sk-not"), "{said}");
    repository.holdpoint(&["run", "--all"], 0);
}

#[test]
fn an_assertion_that_is_code_is_called_by_a_program_of_the_project() {
    let repository = Repository::new();
    repository.write("desk.py", DESK);
    let tone = "def get_assert(output, context):\n    print('noise')\n    return {'pass': True, 'score': 1, 'reason': 'fine'}\n\n\n\
                def refuses(output, context):\n    return 'cannot' in output\n";
    repository.write("checks/tone.py", tone);
    repository.write("checks/length.cjs", "module.exports = (output) => output.length;\n");
    let tests: String = (0..)
        .zip(CODE)
        .map(|(at, (assertion, _))| {
            format!("  - {{description: code-{at}, vars: {{question: How long?}}, assert: [{assertion}]}}\n")
        })
        .collect();
    let head = "prompts: ['Answer: {{question}}']\nproviders: ['exec: python3 desk.py']\ntests:\n";
    repository.write("promptfooconfig.yaml", format!("{head}{tests}"));
    repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    repository.holdpoint(&["check"], 0);
    repository.holdpoint(&["run", "--all"], 10);
    let statuses = statuses(&repository.report());
    for (at, (assertion, passes)) in (0..).zip(CODE) {
        let title = format!("code-{at}");
        let found = statuses.iter().find(|(name, _)| *name == title).map(|(_, status)| status.as_str());
        assert_eq!(found, Some(if passes { "passed" } else { "failed" }), "{assertion}");
    }
}

/// A desk that answers in JSON.
const JSON_DESK: &str = r#"
print('''{"output": "fine", "secret": "password",
  "reason": "30 days", "n": 1.10}''')
"#;

/// Assertions on what it answers, each with whether it passes.
const ON_JSON: [(&str, bool); 13] = [
    ("{type: not-contains, value: password}", false),
    ("{type: contains, value: 30 days}", true),
    ("{type: contains, value: '1.10'}", true),
    ("{type: starts-with, value: '{\"output\": \"fine\"'}", true),
    ("{type: is-json}", true),
    ("{type: not-is-json}", false),
    ("{type: is-json, value: {type: object, required: [output, reason]}}", true),
    ("{type: is-json, value: {type: object, required: [gone]}}", false),
    ("{type: contains-json, value: {type: object, required: [reason]}}", true),
    ("{type: javascript, value: 'JSON.parse(output).reason === \"30 days\"'}", true),
    ("{type: equals, value: fine}", false),
    ("{type: equals, value: {output: fine, secret: password, reason: 30 days, n: 1.1}}", true),
    ("{type: equals, value: {output: fine}}", false),
];

#[test]
fn assertions_on_an_answer_that_is_a_json_object_look_at_all_of_it() {
    let repository = Repository::new();
    repository.write("desk.py", JSON_DESK);
    let tests: String = (0..)
        .zip(ON_JSON)
        .map(|(at, (assertion, _))| {
            format!("  - {{description: json-{at}, vars: {{question: How long?}}, assert: [{assertion}]}}\n")
        })
        .collect();
    let head = "prompts: ['Answer: {{question}}']\nproviders: ['exec: python3 desk.py']\ntests:\n";
    repository.write("promptfooconfig.yaml", format!("{head}{tests}"));
    repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    repository.holdpoint(&["run", "--all"], 10);
    let statuses = statuses(&repository.report());
    for (at, (assertion, passes)) in (0..).zip(ON_JSON) {
        let title = format!("json-{at}");
        let found = statuses.iter().find(|(name, _)| *name == title).map(|(_, status)| status.as_str());
        assert_eq!(found, Some(if passes { "passed" } else { "failed" }), "{assertion}");
    }
}

/// Assertions on the answer `Sorry, no.`, which was printed in colour and with white space around it, each with whether it passes.
const ON_TRIMMED: [(&str, bool); 6] = [
    ("{type: not-starts-with, value: Sorry}", false),
    ("{type: not-equals, value: 'Sorry, no.'}", false),
    ("{type: not-regex, value: '^Sorry, no.$'}", false),
    ("{type: equals, value: 'Sorry, no.'}", true),
    ("{type: python, value: 'output == \"Sorry, no.\"'}", true),
    ("{type: not-contains, value: '31m'}", true),
];

#[test]
fn what_a_program_printed_is_trimmed_as_it_was_there() {
    let repository = Repository::new();
    repository.write("desk.py", "print('\\n  \\x1b[31mSorry\\x1b[0m, no. \\n')\n");
    repository.write("object.py", "print(' \\x1b[32m{\"a\": 1}\\x1b[0m')\n");
    let case = |at: usize, assertion: &str| {
        format!(
            "  - {{description: trimmed-{at}, vars: {{question: How?}}, providers: [desk], assert: [{assertion}]}}\n"
        )
    };
    let tests: String = (0..).zip(ON_TRIMMED).map(|(at, (assertion, _))| case(at, assertion)).collect();
    let object = "  - {description: object, vars: {question: How?}, providers: [object], assert: [{type: is-json}]}\n";
    let provider = |name: &str| format!("{{id: 'exec: python3 {name}.py', label: {name}}}");
    let head =
        format!("prompts: ['{{{{question}}}}']\nproviders: [{}, {}]\ntests:\n", provider("desk"), provider("object"));
    repository.write("promptfooconfig.yaml", format!("{head}{tests}{object}"));
    repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    repository.holdpoint(&["run", "--all"], 10);
    let statuses = statuses(&repository.report());
    let status = |title: &str| statuses.iter().find(|(name, _)| name == title).map(|(_, status)| status.as_str());
    for (at, (assertion, passes)) in (0..).zip(ON_TRIMMED) {
        let expected = if passes { "passed" } else { "failed" };
        assert_eq!(status(&format!("trimmed-{at}")), Some(expected), "{assertion}");
    }
    assert_eq!(status("object"), Some("passed"), "colours around an object take nothing from it");
}

#[test]
fn a_workflow_of_the_project_that_reads_its_answer_otherwise_is_named() {
    let repository = with_desk();
    let import = |form: &str| {
        let desk = format!("desk: {{command: {{run: [python3, desk.py]}}, parts: [], code: [desk.py]{form}}}");
        repository.write("holdpoint.yaml", format!("schema: holdpoint.project/1\nname: desk\nworkflows:\n  {desk}\n"));
        let words = ["import", "promptfoo", "promptfooconfig.yaml", "--workflow", "desk", "--dry-run"];
        repository.holdpoint(&words, 0)
    };
    for form in ["", ", answer: auto", ", answer: json"] {
        let said = import(form);
        assert!(said.contains("holdpoint.yaml: to be looked at: the workflow `desk`"), "{form}: {said}");
        assert!(said.contains("Write `answer: text` into its entry"), "{form}: {said}");
    }
    for form in [", answer: text", ", answer: trimmed_text"] {
        assert!(!import(form).contains("the workflow `desk`"), "{form}");
    }
    // One that an import began reads texts.
    fs::remove_file(repository.path("holdpoint.yaml")).unwrap();
    repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    let again = repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    assert!(!again.contains("into its entry"), "{again}");
    // A program's answer is trimmed.
    let project = fs::read_to_string(repository.path("holdpoint.yaml")).unwrap();
    repository.write("holdpoint.yaml", project.replace("answer: trimmed_text", "answer: text"));
    let again = repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    assert!(again.contains("Write `answer: trimmed_text` into its entry"), "{again}");
}

#[test]
fn a_rehearsal_writes_nothing_and_a_second_import_overwrites_nothing() {
    let repository = with_desk();
    let import = ["import", "promptfoo", "promptfooconfig.yaml"];
    let said = repository.holdpoint(&[&import[..], &["--dry-run", "-v"]].concat(), 0);
    assert!(said.contains("would write") && said.contains("id: days-are-named-"), "{said}");
    assert!(!repository.path("cases").exists() && !repository.path("holdpoint.yaml").exists());
    repository.holdpoint(&import, 0);
    let cases: Vec<PathBuf> =
        fs::read_dir(repository.path("cases/policy_accuracy")).unwrap().map(|one| one.unwrap().path()).collect();
    let mine = cases.iter().find(|path| path.to_string_lossy().contains("it-is-polite")).unwrap();
    let edited = fs::read_to_string(mine).unwrap().replace("title: ", "title: Mine, ");
    fs::write(mine, &edited).unwrap();
    let project = fs::read_to_string(repository.path("holdpoint.yaml")).unwrap();
    let said = repository.holdpoint(&import, 11);
    assert!(said.contains("there already, just so") && said.contains("was left as it is"), "{said}");
    assert!(said.contains("3 tests as 2 cases") && said.contains("incomplete: 1 thing"), "{said}");
    assert_eq!(fs::read_to_string(mine).unwrap(), edited);
    assert_eq!(fs::read_to_string(repository.path("holdpoint.yaml")).unwrap(), project);
    // One test more brings one file more.
    repository.write(
        "promptfooconfig.yaml",
        format!(
            "{CONFIGURATION}  - {{description: Later, vars: {{question: x}}, assert: [{{type: contains, value: x}}]}}\n"
        ),
    );
    let said = repository.holdpoint(&import, 11);
    assert!(said.contains("wrote 1 file\n"), "{said}");
    repository.holdpoint(&["check"], 0);
}

#[test]
fn a_project_that_is_there_is_added_to_and_never_left_invalid() {
    let repository = with_desk();
    repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    repository.copy("samples.jsonl", "samples.jsonl");
    let said = repository.holdpoint(&["import", "openai-evals", "samples.jsonl"], 2);
    assert!(
        said.contains("has no workflow `samples`; nothing was written") && said.contains("./connect-samples"),
        "{said}"
    );
    repository.holdpoint(&["check"], 0);
    let project = fs::read_to_string(repository.path("holdpoint.yaml")).unwrap();
    let workflow = project.lines().find_map(|line| line.strip_prefix("  ")?.strip_suffix(':')).unwrap().to_owned();
    repository.holdpoint(&["import", "openai-evals", "samples.jsonl", "--workflow", &workflow, "--set", "action"], 0);
    repository.holdpoint(&["import", "openai-evals", "samples.jsonl", "--workflow", "nobody"], 2);
    repository.holdpoint(&["import", "openai-evals", "samples.jsonl", "--workflow", &workflow, "--set", "nothing"], 2);
    // The same ids in another folder would make the project invalid.
    let said = repository.holdpoint(&["import", "openai-evals", "samples.jsonl", "--workflow", &workflow], 2);
    assert!(said.contains("is already taken in `cases/action/"), "{said}");
    assert!(repository.holdpoint(&["check"], 0).contains("6 cases in 2 sets"));
}

#[test]
fn the_document_says_what_the_lines_say() {
    let repository = with_desk();
    let import = ["import", "promptfoo", "promptfooconfig.yaml", "--json"];
    let document: Value = serde_json::from_str(&repository.holdpoint(&import, 0)).unwrap();
    assert_eq!(document["schema"], "holdpoint.import/1");
    assert_eq!(
        document["counts"],
        serde_json::json!({"found": 3, "brought": 3, "expectations": 3, "placeholders": 2, "left": 0})
    );
    assert_eq!(document["notes"].as_array().unwrap().iter().filter(|note| note["kind"] == "placeholder").count(), 2);
    assert!(document["written"].as_array().unwrap().iter().any(|path| path == "holdpoint.yaml"));
}

#[test]
fn a_file_that_is_none_of_its_format_ends_13_and_an_empty_one_14() {
    let repository = Repository::new();
    repository.write("bad.yaml", "tests: [\n");
    repository.write("none.yaml", "prompts: [x]\n");
    repository.write("bad.csv", "a,b\n1\n");
    assert!(repository.holdpoint(&["import", "promptfoo", "bad.yaml"], 13).contains("bad.yaml:"));
    assert!(repository.holdpoint(&["import", "promptfoo", "none.yaml"], 14).contains("no case came of none.yaml"));
    assert!(repository.holdpoint(&["import", "csv", "bad.csv"], 13).contains("bad.csv:2"));
    repository.holdpoint(&["import", "csv", "not-there.csv"], 2);
    assert!(!repository.path("holdpoint.yaml").exists() && !repository.path("cases").exists());
}

#[test]
fn a_reader_of_the_document_alone_learns_every_error() {
    let repository = Repository::new();
    repository.write("bad.csv", "a,b\n1\n2,3,4\n");
    let errors = |arguments: &[&str], code: i32| {
        let ran = repository.command(env!("CARGO_BIN_EXE_holdpoint")).args(arguments).arg("--json").output().unwrap();
        assert_eq!(ran.status.code(), Some(code), "{arguments:?}");
        let document: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!((&document["schema"], &document["exit_code"]), (&"holdpoint.error/1".into(), &code.into()));
        (document["errors"].as_array().unwrap().clone(), String::from_utf8(ran.stderr).unwrap())
    };
    let (found, beside) = errors(&["import", "csv", "bad.csv"], 13);
    assert_eq!(found.len(), 2, "{found:?}");
    for (error, line) in found.iter().zip([2, 3]) {
        assert_eq!((&error["path"], &error["line"]), (&"bad.csv".into(), &line.into()), "{error}");
        assert!(error["message"].as_str().unwrap().contains("there are 2 columns"), "{error}");
        assert_eq!(error["hint"], "quote a value that holds a comma");
    }
    assert!(beside.contains("bad.csv:3") && beside.contains("2 errors in bad.csv; nothing was imported"), "{beside}");
    // What is said before an error stands beside the document.
    repository.write("none.yaml", "prompts: [x]\nfoo: 1\n");
    let (_, beside) = errors(&["import", "promptfoo", "none.yaml"], 14);
    assert!(beside.contains("`foo`"), "{beside}");
    repository.write(
        "holdpoint.yaml",
        "schema: holdpoint.project/1\nname: d\nworkflows: {d: {command: {run: [x]}, parts: []}}\n",
    );
    repository.write("good.csv", "a,b\n1,2\n");
    let (_, beside) = errors(&["import", "csv", "good.csv", "--expect", "b"], 2);
    assert!(beside.contains("./connect-good"), "{beside}");
    repository.write("holdpoint.yaml", "schema: holdpoint.project/1\nnmae: d\n");
    let (found, _) = errors(&["import", "csv", "good.csv", "--expect", "b"], 13);
    assert!(found.iter().any(|error| error["path"] == "holdpoint.yaml" && error["line"] == 2), "{found:?}");
}

fn run_id(said: &str) -> String {
    said.split_whitespace().find(|word| word.starts_with("imported-")).unwrap().trim_end_matches(',').to_owned()
}

#[test]
fn an_imported_run_is_compared_and_never_accepted_nor_the_latest() {
    let repository = with_desk();
    repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml"], 0);
    let log = |name: &str, first: [&str; 2]| {
        repository.write(name, inspect_log::samples(first, ["\"C\"", "\"C\""], name, CompressionMethod::Deflated));
        run_id(&repository.holdpoint(&["import", "inspect", name], 0))
    };
    let before = log("before.eval", ["\"C\"", "\"C\""]);
    assert!(repository.holdpoint(&["compare", "latest"], 2).contains("no run is recorded here yet"));
    let after = log("after.eval", ["\"I\"", "\"I\""]);
    let said = repository.holdpoint(&["compare", &after, "--with", &before], 0);
    assert!(said.contains("Regressed (1)") && said.contains("was imported from"), "{said}");
    let refused = ["baseline", "accept", after.as_str(), "--by", "A. Reviewer", "--reason", "it looks good"];
    assert!(repository.holdpoint(&refused, 2).contains("was imported"));
    assert!(!repository.path("baselines").exists());
    assert!(repository.holdpoint(&["runs"], 0).contains("imported"));
    let no_case = repository.holdpoint(&["case", "new", "--from", &format!("{after}/1")], 2);
    assert!(no_case.contains("its cases are those of another tool") && !no_case.contains("edited"), "{no_case}");
    let told = repository.holdpoint(&["report", &after], 2);
    assert!(told.contains("no report is made of what was not run here") && told.contains("--format html"), "{told}");
    assert!(repository.holdpoint(&["compare", &after, "--with", &before, "--format", "html"], 0).contains("<html"));
    assert!(repository.holdpoint(&["import", "inspect", "after.eval"], 2).contains("imported before"));
    // What was judged by another measure is another run, beside the first one.
    let graded = |pass_at: &str, code: i32| {
        repository.holdpoint(&["import", "inspect", "half.eval", "--pass-at", pass_at], code)
    };
    repository
        .write("half.eval", inspect_log::samples(["0.5", "0.5"], ["1", "1"], "half", CompressionMethod::Deflated));
    let strict = run_id(&graded("1", 0));
    assert!(graded("0.9", 2).contains(&format!("imported before, as run {strict}")), "judged alike");
    let kind = run_id(&graded("0.5", 0));
    assert_eq!(kind, format!("{strict}-2"));
    assert!(graded("0.4", 2).contains(&format!("imported before, as run {kind}")));
    assert!(repository.holdpoint(&["compare", &kind, "--with", &strict], 0).contains("Fixed"));
    // A run of one's own is the latest, whatever was imported.
    repository.holdpoint(&["run", "--all"], 10);
    assert_eq!(statuses(&repository.report()).len(), 3);
    assert!(!repository.holdpoint(&["compare", "latest", "--with", &before], 0).contains("latest"));
}

#[test]
fn ledgers_from_spans_and_records_are_taken_by_the_papers() {
    let repository = Repository::new();
    for (format, input) in [("otel", "spans.json"), ("ledger", "operations.jsonl")] {
        repository.copy(input, input);
        repository.holdpoint(&["import", format, input], 0);
        let stem = Path::new(input).file_stem().unwrap().to_str().unwrap();
        let ledger = format!("reports/imported/{stem}.ledger.jsonl");
        for (paper, shows) in
            [("failures", "uncertain"), ("incident", "Uncertain"), ("handover", "uncertain"), ("scorecard", "")]
        {
            let said = repository.holdpoint(&[paper, "--ledger", &ledger], 0);
            assert!(said.contains(shows), "{paper}: {said}");
        }
    }
}

#[test]
fn a_broken_line_takes_nothing_from_the_others_and_the_import_says_that_it_is_incomplete() {
    let repository = with_desk();
    repository.write("rows.jsonl", "{\"q\": \"one\", \"a\": \"1\"}\n{\"q\": \n{\"q\": \"two\", \"a\": \"2\"}\n");
    let said = repository.holdpoint(&["import", "jsonl", "rows.jsonl", "--expect", "a"], 11);
    assert!(said.contains("rows.jsonl:2") && said.contains("no JSON") && said.contains("3 tests as 2 cases"), "{said}");
    assert!(said.contains("incomplete: 1 thing that should have come to a case did not"), "{said}");
    assert_eq!(fs::read_dir(repository.path("cases/policy_accuracy")).unwrap().count(), 2);
    repository.write("evals.jsonl", "{\"input\": \"x\", \"ideal\": \"y\"}\n{\"ideal\": \"y\"}\n");
    let document = repository
        .holdpoint(&["import", "openai-evals", "evals.jsonl", "--workflow", "rows", "--dry-run", "--json"], 11);
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!((&document["counts"]["left"], &document["counts"]["brought"]), (&1.into(), &1.into()));
    let nothing = repository.holdpoint(&["import", "jsonl", "rows.jsonl", "--expect", "answr"], 13);
    assert!(nothing.contains("no line has a key `answr`"), "{nothing}");
}

#[test]
fn a_row_in_whose_place_another_case_stands_is_counted_as_left_and_one_that_is_there_already_is_not() {
    let repository = Repository::new();
    let rows = |second: &str| format!("id,q,a\nq-1,One?,1\nq-2,{second},2\n");
    let import = ["import", "csv", "rows.csv", "--expect", "a", "--id", "id", "--workflow", "rows"];
    repository.write("rows.csv", rows("Two?"));
    repository.holdpoint(&import[..7], 0);
    let again = repository.holdpoint(&import, 0);
    assert!(again.contains("2 tests as 2 cases") && !again.contains("incomplete"), "{again}");
    repository.write("rows.csv", rows("Another?"));
    let said = repository.holdpoint(&import, 11);
    assert!(said.contains("2 tests as 1 case,") && said.contains("incomplete: 1 thing"), "{said}");
    assert!(said.contains("rows.csv:3: not brought: the case `cases/policy_accuracy/q-2.yaml`"), "{said}");
    let document: Value =
        serde_json::from_str(&repository.holdpoint(&[&import[..], &["--json"]].concat(), 11)).unwrap();
    let counts = &document["counts"];
    assert_eq!((&counts["found"], &counts["brought"], &counts["left"]), (&2.into(), &1.into(), &1.into()));
    assert_eq!(document["kept"], serde_json::json!(["cases/policy_accuracy/q-2.yaml"]));
}

#[test]
fn samples_of_which_no_case_came_are_counted_as_left() {
    let repository = Repository::new();
    repository.write("s.jsonl", "{\"input\": \"x\", \"ideal\": \"y\"}\n[1]\n{\"ideal\": \"y\"}\n{\"input\": \n");
    let said = repository.holdpoint(&["import", "openai-evals", "s.jsonl"], 11);
    assert!(said.contains("4 tests as 1 case,") && said.contains("incomplete: 3 things"), "{said}");
    for line in 2..5 {
        assert!(said.contains(&format!("s.jsonl:{line}: not brought: the line")), "{said}");
    }
}

#[test]
fn a_prompt_that_is_lost_beside_others_is_counted_as_left() {
    let repository = Repository::new();
    let import = |prompts: &str, code: i32| {
        let test = "{vars: {q: one}, assert: [{type: contains, value: one}]}";
        let config = format!("prompts: {prompts}\nproviders: ['exec:python3 desk.py']\ntests: [{test}]\n");
        repository.write("promptfooconfig.yaml", config);
        repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml", "--dry-run"], code)
    };
    import("['Q {{q}}']", 0);
    let said = import("['Q {{q}}', file://missing.txt]", 11);
    assert!(said.contains("the prompt `file://missing.txt`") && said.contains("incomplete: 1 thing"), "{said}");
}

#[test]
fn a_ledger_in_whose_place_another_one_stands_was_not_brought() {
    let repository = Repository::new();
    let line = |word: &str| format!("{{\"time\": 1772442060, \"operation\": \"a\", \"claim\": \"{word}\"}}\n");
    repository.write("o.jsonl", line("completed"));
    repository.holdpoint(&["import", "ledger", "o.jsonl"], 0);
    repository.holdpoint(&["import", "ledger", "o.jsonl"], 0);
    repository.write("o.jsonl", line("failed"));
    assert!(repository.holdpoint(&["import", "ledger", "o.jsonl"], 11).contains("was left as it is"));
}

#[test]
fn a_folder_is_no_file_to_import_and_a_score_must_be_a_number() {
    let repository = Repository::new();
    let said = repository.holdpoint(&["import", "csv", "."], 2);
    assert!(said.contains("is a folder; name the file in it"), "{said}");
    let said = repository.holdpoint(&["import", "inspect", "a.eval", "--pass-at", "nan"], 2);
    assert!(said.contains("it must be a finite number"), "{said}");
}

#[test]
fn a_receipt_that_a_workflow_claims_is_no_answer_of_the_target() {
    let repository = Repository::new();
    let line = |operation: &str, claim: &str| {
        format!("{{\"time\": 1772442060, \"operation\": \"{operation}\", {claim}\"receipt\": \"r9\"}}\n")
    };
    let handover = |text: String| {
        let _ = fs::remove_dir_all(repository.path("reports"));
        repository.write("o.jsonl", text);
        let said = repository.holdpoint(&["import", "ledger", "o.jsonl"], 0);
        let paper = repository.holdpoint(&["handover", "--ledger", "reports/imported/o.ledger.jsonl"], 0);
        (said, paper.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (said, claimed) = handover(line("z2", "\"claim\": \"completed\", "));
    assert!(said.contains("o.jsonl:1: not brought: the receipt r9"), "{said}");
    assert!(claimed.contains("what came back was not written down"), "{claimed}");
    assert!(!claimed.contains("the target said done"), "{claimed}");
    let (said, answered) = handover(line("z2", ""));
    assert!(!said.contains("not brought: the receipt"), "{said}");
    assert!(answered.contains("the target said done, receipt"), "{answered}");
}

#[test]
fn tests_in_the_files_that_a_pattern_stands_for_are_brought() {
    let repository = Repository::new();
    let config = |tests: &str, prompts: &str| format!("{prompts}providers: ['exec:python3 desk.py']\ntests: {tests}\n");
    let one = "prompts: ['Answer: {{q}}']\n";
    repository.write("tests/a.yaml", "- vars: {q: one}\n  assert: [{type: contains, value: one}]\n");
    repository.write("tests/b/c.yaml", "- vars: {q: two}\n  assert: [{type: contains, value: two}]\n");
    repository.write("tests/d.csv", "q,__expected\nthree,three\n");
    let import = |text: String, code: i32| {
        repository.write("promptfooconfig.yaml", text);
        repository.holdpoint(&["import", "promptfoo", "promptfooconfig.yaml", "--dry-run"], code)
    };
    assert!(import(config("file://tests/*.yaml", one), 0).contains("1 test as 1 case"));
    assert!(import(config("['file://tests/**/*.yaml', 'tests/*.csv']", one), 0).contains("3 tests as 3 cases"));
    let none = import(config("['file://tests/a.yaml', 'file://tests/*.json']", one), 11);
    assert!(none.contains("no file matches `file://tests/*.json`") && none.contains("incomplete: 1 thing"), "{none}");
    repository.write("tests/e.json", "[\"tests/e.json\", {\"vars\": {\"q\": \"four\"}}]");
    let itself = import(config("tests/e.json", one), 11);
    assert!(itself.contains("it leads back to itself") && itself.contains("1 test as 1 case"), "{itself}");
    // What is missing is the configuration's, and not the test's.
    let blamed = import(config("file://tests/a.yaml", ""), 0);
    assert!(blamed.contains("the configuration has no prompts"), "{blamed}");
    let blamed = import(config("file://tests/a.yaml", "prompts: [file://gone.txt]\n"), 0);
    assert!(blamed.contains("none of the configuration's prompts could be brought"), "{blamed}");
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let repository = with_desk();
    let made = repository.command("mkfifo").arg("pipe.csv").status().unwrap();
    assert!(made.success());
    fs::create_dir(repository.path("folder")).unwrap();
    for (file, why) in [("pipe.csv", "no file"), ("/dev/zero", "no file"), ("folder", "is a folder")] {
        let said = repository.holdpoint(&["import", "csv", file], 2);
        assert!(said.contains(why), "{file}: {said}");
    }
    let near = repository.holdpoint(&["import", "csv", "pipe.csv", "--set", "policy_acuracy"], 2);
    assert!(near.contains("Did you mean `policy_accuracy`?"), "{near}");
}
