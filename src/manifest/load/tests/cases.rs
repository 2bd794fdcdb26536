//! Case files: their place, their identity, their steps, faults and fixtures.

use super::*;
use crate::manifest::Case;

/// Fails unless the case is refused, shown from the line and column in its file.
#[track_caller]
fn assert_refused(files: &MemoryFiles, expected: &str) {
    let prefix = "cases/action/odd.yaml:";
    let shown: Vec<String> = problems(files).iter().map(|line| line.replacen(prefix, "", 1)).collect();
    assert_eq!(shown.join("\n"), expected);
}

/// A case whose last lines are these.
fn odd(lines: &str) -> MemoryFiles {
    with_case(format!("id: odd\ntitle: Odd\nworkflow: desk\nexpect: [contains: a]\n{lines}"))
}

fn the_odd_one(files: &MemoryFiles) -> Case {
    load_project(files, &BTreeMap::new()).unwrap().project.cases["odd"].open()
}

#[test]
fn data_passes_as_it_stands_and_is_no_template() {
    let case = the_odd_one(&odd(
        "input:\n  a: '{{ x }} {% y %} ${HOME} {# z #}'\n  b: |\n    ---\n    file:///etc/passwd\n  c: [yes, 0755, 1_000, '1', 1, 1.50, ~]\n",
    ));
    assert_eq!(
        case.input,
        json!({
            "a": "{{ x }} {% y %} ${HOME} {# z #}",
            "b": "---\nfile:///etc/passwd\n",
            "c": ["yes", "0755", "1_000", "1", 1, 1.5, null],
        })
    );
}

#[test]
fn a_case_that_asserts_nothing_is_an_error() {
    let head = "id: odd\ntitle: Odd\nworkflow: desk\ninput: {}\n";
    assert_refused(&with_case(head), "1:1 the key `expect` is missing\n  `expect`: What must hold");
    assert_refused(
        &with_case(format!("{head}expect:\n")),
        "5:7 expected a list, found nothing\n  leave the key out, or give it a value",
    );
    assert_refused(
        &with_case(format!("{head}expect: []\n")),
        "5:9 the list is empty\n  What must hold, as in `- contains: 30 days` or `- not: {contains: refund}`",
    );
    assert_refused(
        &with_case(format!("{head}expects: [contains: a]\n")),
        "1:1 the key `expect` is missing\n  \
         `expect`: What must hold\n\
         5:1 unknown key `expects`\n  \
         did you mean `expect`?",
    );
    assert_refused(
        &with_case(format!("{head}expect: {{contains: a}}\n")),
        "5:9 expected a list, found a map\n  What must hold",
    );
    assert_refused(
        &with_case(format!("{head}expect:\n  - contains\n")),
        "6:5 expected a map, found a text\n  \
         One expectation: exactly one of its fields, which names the grader that judges it",
    );
}

#[test]
fn keys_and_types_are_those_of_the_schema() {
    assert_refused(&odd("input: {}\ntrails: 2\n"), "6:1 unknown key `trails`\n  did you mean `trials`?");
    assert_refused(
        &odd("input: {}\ntrials: 0\n"),
        "6:9 expected at least 1, found 0\n  How often the case is executed",
    );
    assert_refused(&odd("input: {}\ntrials: 2.0\n"), "6:9 expected a whole number without a decimal point\n  write 2");
    assert_refused(
        &odd("input: {}\ntrials: '2'\n"),
        "6:9 expected a whole number, found a text\n  write it without quotes: 2",
    );
    assert_refused(
        &odd("input: {}\ntrials: 99999999999\n"),
        "6:9 expected at most 10000, found 99999999999\n  How often the case is executed",
    );
    assert_refused(
        &odd("input: {}\nalways: yes\n"),
        "6:9 expected true or false, found a text\n  write `true` or `false`",
    );
    assert_refused(
        &odd("input: {}\nrisks: duplicate\n"),
        "6:8 expected a list, found a text\n  a list of one: [duplicate]",
    );
    assert_refused(
        &odd("always: true\n"),
        "1:1 the key `input` is missing\n  \
         `input`: What the workflow gets as `input`: any data, passed on as it stands and never read as a template",
    );
    assert_refused(
        &with_case("- a\n"),
        "1:1 expected a map, found a list\n  \
         One case: what goes in, what is done to the workflow meanwhile, and what must hold afterwards",
    );
    assert_refused(
        &with_case("just words\n"),
        "1:1 expected a map, found a text\n  \
         One case: what goes in, what is done to the workflow meanwhile, and what must hold afterwards",
    );
}

#[test]
fn every_error_of_a_case_comes_in_one_go() {
    assert_refused(
        &with_case(
            "id: odd case\ntitle: ''\nworkflow: dsk\ninput: {}\nnow: monday\nrisks: [duplicat]\nexpect: [regex: '(']\n",
        ),
        "1:5 `odd case` is no case id\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit\n\
         2:8 the title is empty\n  \
         say in one sentence what holds when the case passes\n\
         3:11 the project file has no workflow `dsk`\n  \
         did you mean `desk`?\n\
         5:6 `monday` is no time in the form of RFC 3339\n  \
         write it as in `2026-03-02T09:30:00Z`\n\
         6:9 `duplicat` is no risk of this project\n  \
         did you mean `duplicate`?\n\
         7:17 this is no regular expression: unclosed group\n  \
         the syntax is that of Rust's regex crate, without look-around and back-references",
    );
}

#[test]
fn ids_have_a_form_and_never_collide() {
    let id = |id: &str| with_case(CASE.replace("plain-answer", id));
    assert_refused(
        &id("''"),
        "1:5 the case id is empty\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
    assert_refused(
        &id("-a"),
        "1:5 `-a` is no case id\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
    assert_refused(
        &id("a b"),
        "1:5 `a b` is no case id\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
    assert_refused(
        &id("größe"),
        "1:5 `größe` is no case id\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
    assert_refused(
        &id("../a"),
        "1:5 `../a` is no case id\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
    assert_refused(
        &id(&"a".repeat(101)),
        "1:5 the case id has 101 characters, and at most 100 are allowed\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
    assert_refused(&id("1"), "1:5 expected a text, found the number 1\n  quote it: \"1\"");
    assert_refused(&id("1.10"), "1:5 expected a text, found the number 1.10\n  quote it: \"1.10\"");
    assert_refused(&id("true"), "1:5 expected a text, found the truth value true\n  quote it: \"true\"");
    assert_refused(
        &id("Plain-Answer"),
        "cases/policy_accuracy/plain.yaml:1:5 the case id `plain-answer` differs only in letter case from `Plain-Answer` in `cases/action/odd.yaml` line 1\n  \
         an id is unique in the project: choose another",
    );
    assert_refused(
        &id("plain-answer"),
        "cases/policy_accuracy/plain.yaml:1:5 the case id `plain-answer` is already taken in `cases/action/odd.yaml` line 1\n  \
         an id is unique in the project: choose another",
    );
    assert_refused(
        &id("'1'").with("cases/action/number.yaml", CASE.replace("plain-answer", "1")),
        "cases/action/number.yaml:1:5 expected a text, found the number 1\n  \
         quote it: \"1\"\n\
         1:5 the case id `1` is already taken in `cases/action/number.yaml` line 1\n  \
         an id is unique in the project: choose another",
    );
}

#[test]
fn a_case_lies_in_the_folder_of_a_known_risk() {
    let at = |path: &str| with(path, CASE.replace("plain-answer", "odd"));
    assert_problem(
        &at("cases/odd.yaml"),
        "cases/odd.yaml:1:1 a case lies in the folder of its set, below `cases/`\n  \
         move it to a folder named after the risk it shows, as in `cases/duplicate/`",
    );
    assert_problem(
        &at("cases/duplicates/odd.yaml"),
        "cases/duplicates/odd.yaml:1:1 the case lies in `cases/duplicates`, and `duplicates` is no risk of this project\n  \
         did you mean `duplicate`?",
    );
    assert_problem(
        &at("cases/banana/odd.yaml"),
        "cases/banana/odd.yaml:1:1 the case lies in `cases/banana`, and `banana` is no risk of this project\n  \
         name it under `risks` in holdpoint.yaml, or use a built-in one: `holdpoint rules` lists them",
    );
    assert_eq!(problems(&at("cases/duplicate/deeper/odd.yml")), Vec::<String>::new());
    let named = at("cases/tone/odd.yaml").with("holdpoint.yaml", format!("{PROJECT}risks: [tone]\n"));
    assert_eq!(the_odd_one(&named).set.as_str(), "tone");
}

#[test]
fn a_file_that_nobody_would_read_is_an_error() {
    assert_problem(
        &valid().with_entry("cases/duplicate", EntryKind::Symlink),
        "cases/duplicate:0:0 `cases/duplicate` is a symbolic link, and links are not followed\n  \
         put the file itself there",
    );
    assert_problem(
        &valid().with_entry("cases/duplicate/a.yaml", EntryKind::Symlink),
        "cases/duplicate/a.yaml:0:0 `cases/duplicate/a.yaml` is a symbolic link, and links are not followed\n  \
         put the file itself there",
    );
    assert_problem(
        &valid().with_entry("cases/duplicate/pipe.yaml", EntryKind::Special),
        "cases/duplicate/pipe.yaml:0:0 `cases/duplicate/pipe.yaml` is a pipe, a socket or a device, and no regular file\n  \
         remove it, or put a regular file there",
    );
    assert_problem(
        &MemoryFiles::new()
            .with("holdpoint.yaml", "schema: holdpoint.project/1\nname: a\nworkflows: {}\n")
            .with_entry("cases", EntryKind::Symlink),
        "cases:0:0 `cases` is a symbolic link, and links are not followed\n  \
         put the file itself there",
    );
    assert_problem(
        &with("cases/action/ODD.YAML", "id: odd\n"),
        "cases/action/ODD.YAML:1:1 the key `expect` is missing\n  \
         `expect`: What must hold\n\
         cases/action/ODD.YAML:1:1 the key `input` is missing\n  \
         `input`: What the workflow gets as `input`: any data, passed on as it stands and never read as a template\n\
         cases/action/ODD.YAML:1:1 the key `title` is missing\n  \
         `title`: One sentence that says what holds when the case passes\n\
         cases/action/ODD.YAML:1:1 the key `workflow` is missing\n  \
         `workflow`: The workflow that the case runs against",
    );
}

#[test]
fn what_a_case_refers_to_must_exist() {
    assert_refused(
        &odd("input: {}\nsources: [polcy]\n"),
        "6:11 no manifest has the id `polcy`\n  did you mean `policy`?",
    );
    assert_refused(
        &odd("input: {}\nsources: [review]\n"),
        "6:11 expected a manifest of kind source, and `review` is of kind connector\n  \
         it stands in `manifests/review.yaml`",
    );
    assert_refused(
        &odd("input: {}\nrisks: [duplicat]\n"),
        "6:9 `duplicat` is no risk of this project\n  did you mean `duplicate`?",
    );
    assert_refused(
        &with_case(CASE.replace("plain-answer", "odd").replace("desk", "dask")),
        "3:11 the project file has no workflow `dask`\n  did you mean `desk`?",
    );
}

#[test]
fn risks_and_defaults_are_filled_in() {
    let case = the_odd_one(&odd("input: {}\nrisks: [duplicate, action, duplicate]\nsources: [policy]\n"));
    let risks: Vec<&str> = case.risks.iter().map(|risk| risk.as_str()).collect();
    assert_eq!(risks, ["action", "duplicate"]);
    assert_eq!(case.sources, [PartId::from("policy")]);
}

#[test]
fn steps_invoke_the_workflow_at_least_once() {
    assert_refused(&odd("input: {}\nsteps: []\n"), "6:8 the list is empty\n  What is done, in order");
    assert_refused(&odd("input: {}\nsteps: [restart: {}]\n"), "6:8 no step invokes the workflow\n  add `- invoke: {}`");
    assert_refused(
        &odd("input: {}\nsteps:\n  - invoke: {}\n  - restart:\n"),
        "8:12 expected a map, found nothing\n  leave the key out, or give it a value",
    );
    assert_refused(
        &odd("input: {}\nsteps:\n  - {invoke: {}, restart: {}}\n"),
        "7:18 expected exactly one key, found `invoke` and `restart`\n  \
         the keys here are invoke, restart and clock",
    );
    assert_refused(
        &odd("input: {}\nsteps: [invoke: {}, clock: {advance_s: 0}]\n"),
        "6:40 expected at least 1, found 0\n  Seconds to move on by",
    );
    assert_refused(
        &odd("input: {}\nsteps: [invoke: {input: [a]}]\n"),
        "6:25 expected a map, found a list\n  \
         Fields laid over the case's input for this step alone; the case's input must then be a map",
    );
    assert_refused(
        &odd("input: words\nsteps: [invoke: {input: {a: 1}}]\n"),
        "6:25 this step lays fields over the case's input, which is no map\n  \
         make the case's `input` a map",
    );
    assert_refused(&odd("input: {a: 2}\nsteps: [invoke: {input: {a: 1}}, clock: {advance_s: 5}, restart: {}]\n"), "");
    assert_refused(
        &odd("input: {}\nnow: '2026-03-02'\n"),
        "6:6 `2026-03-02` is no time in the form of RFC 3339\n  \
         write it as in `2026-03-02T09:30:00Z`",
    );
}

#[test]
fn a_fault_needs_an_operation_to_fall_on_and_a_connector_of_the_workflow() {
    let fault = |fault: &str| odd(&format!("input: {{}}\nfaults:\n  - {fault}\n"));
    assert_refused(&fault("{connector: review, operation: stage, fault: lost_ack}"), "");
    assert_refused(
        &fault("{connector: review, operation: stag, fault: lost_ack}"),
        "7:36 the connector `review` has no operation `stag`\n  did you mean `stage`?",
    );
    assert_refused(
        &fault("{connector: reviews, operation: stage, fault: lost_ack}"),
        "7:17 no manifest has the id `reviews`\n  did you mean `review`?",
    );
    assert_refused(
        &fault("{connector: policy, operation: stage, fault: lost_ack}"),
        "7:17 expected a manifest of kind connector, and `policy` is of kind source\n  \
         it stands in `manifests/policy.yml`",
    );
    assert_refused(
        &fault("{connector: review, operation: stage, fault: lost}"),
        "7:50 expected `fail_before_commit`, `lost_ack`, `lost_request`, `late_commit`, `error_after_commit`, `unavailable`, \
         `rate_limited`, `delay`, `drop_before`, `refuse`, `status`, `duplicate_delivery`, `stall`, `truncate_clean`, \
         `truncate_abrupt`, `corrupt_json`, `replace_body`, `inject_text` or `out_of_order`, found `lost`",
    );
    assert_refused(
        &fault("{connector: review, operation: stage, attempt: 0, fault: lost_ack}"),
        "7:52 expected at least 1, found 0\n  \
         Which attempt at that operation, from 1, counted over all steps of the trial",
    );
    let twice = "{connector: review, operation: stage, fault: lost_ack}\n  - {connector: review, operation: stage, attempt: 1, fault: fail_before_commit}";
    assert_refused(&fault(twice), "8:5 attempt 1 at `stage` already has a fault\n  one attempt can fail in one way");
    let unused = with("holdpoint.yaml", PROJECT.replace("clerks, review, stage", "clerks, stage")).with(
        "cases/action/odd.yaml",
        format!(
            "{}faults: [{{connector: review, operation: stage, fault: lost_ack}}]\n",
            CASE.replace("plain-answer", "odd")
        ),
    );
    assert_refused(
        &unused,
        "7:22 the case's workflow does not use the connector `review`\n  \
         list it under the workflow's `parts` in holdpoint.yaml",
    );
}

#[test]
fn fixtures_are_read_and_stay_in_the_project() {
    let fixture = |fixtures: &str| {
        odd(&format!("input: {{}}\nfixtures: {fixtures}\n"))
            .with("cases/action/data/mail.txt", "hello\n")
            .with_entry("cases/action/data/module", EntryKind::Submodule)
            .with_entry("linked", EntryKind::Symlink)
    };
    let case = the_odd_one(&fixture("{'inbox/mail.txt': data/mail.txt}"));
    assert_eq!(
        case.fixtures,
        [crate::manifest::Fixture {
            name: "inbox/mail.txt".to_owned(),
            path: "cases/action/data/mail.txt".to_owned(),
            content: b"hello\n".to_vec(),
        }]
    );
    assert_refused(
        &fixture("{mail.txt: data/mial.txt}"),
        "6:22 `cases/action/data/mial.txt` does not exist\n  \
         did you mean `cases/action/data/mail.txt`?",
    );
    assert_refused(
        &fixture("{mail.txt: ../plain.yaml}"),
        "6:22 the path `../plain.yaml` goes up with `..`\n  \
         a path never leaves the folder it starts from",
    );
    assert_refused(
        &fixture("{mail.txt: /etc/passwd}"),
        "6:22 the path `/etc/passwd` is absolute and leaves the project\n  \
         write it relative to the project's folder, with `/` between names",
    );
    assert_refused(
        &fixture("{mail.txt: data}"),
        "6:22 `cases/action/data` is a folder, and a file is needed\n  name each file",
    );
    assert_refused(
        &fixture("{mail.txt: data/module/mail.txt}"),
        "6:22 `cases/action/data/module` is a git submodule, whose files are not the project's\n  \
         copy the file into the project",
    );
    assert_refused(
        &fixture("{../mail.txt: data/mail.txt}"),
        "6:12 the path `../mail.txt` goes up with `..`\n  \
         this is the file's name in the trial's state directory",
    );
    assert_refused(
        &fixture("{a: data/mail.txt, a/b: data/mail.txt}"),
        "6:12 `a` is a file here and a folder in `a/b`\n  choose another name",
    );
}

#[test]
fn a_yaml_file_that_a_case_names_is_no_case() {
    let files =
        odd("input: {}\nfixtures: {config.yaml: config.yaml}\n").with("cases/action/config.yaml", "colour: red\n");
    let loaded = load_project(&files, &BTreeMap::new()).unwrap();
    assert_eq!((loaded.project.cases.len(), loaded.warnings.len()), (2, 0));
}

#[test]
fn a_file_that_no_case_names_is_told_unless_it_is_for_people() {
    let files = valid()
        .with("cases/action/late.json", "{}")
        .with("cases/action/README.md", "Words.\n")
        .with("cases/action/.keep", "");
    let loaded = load_project(&files, &BTreeMap::new()).unwrap();
    assert_eq!(
        loaded.warnings.iter().map(shown).collect::<Vec<_>>(),
        ["cases/action/late.json:0:0 no case names this file as a fixture, and it is no case\n  \
          a case ends in `.yaml`; a fixture stands under a case's `fixtures`"]
    );
}

#[test]
fn a_case_that_vanishes_as_a_fixture_is_told() {
    let files = odd("input: {}\nfixtures: {other.yaml: other.yaml}\n")
        .with("cases/action/other.yaml", CASE.replace("plain-answer", "other"));
    let loaded = load_project(&files, &BTreeMap::new()).unwrap();
    assert_eq!(
        loaded.warnings.iter().map(shown).collect::<Vec<_>>(),
        [
            "cases/action/other.yaml:0:0 this file looks like a case, and is not run because a case names it as a fixture\n  \
         rename it, or take it out of that case's `fixtures`"
        ]
    );
    let circle = files.with(
        "cases/action/other.yaml",
        format!("{}fixtures: {{odd.yaml: odd.yaml}}\n", CASE.replace("plain-answer", "other")),
    );
    assert_problem(
        &circle,
        "cases/action/odd.yaml:0:0 this file is named as a fixture in a circle, so whether it is a case cannot be told\n  \
         a case names no other case as its fixture\n\
         cases/action/other.yaml:0:0 this file is named as a fixture in a circle, so whether it is a case cannot be told\n  \
         a case names no other case as its fixture",
    );
}

#[test]
fn a_digest_covers_what_can_change_a_result_and_nothing_else() {
    let base = the_odd_one(&odd("input: {a: 1}\n"));
    let same = |files: &MemoryFiles| {
        let case = the_odd_one(files);
        (case.digest == base.digest, case.expectation_digest == base.expectation_digest)
    };
    assert_eq!(same(&odd("always: true\nrisks: [duplicate]\ninput: {a: 1}\n# words\n")), (true, true));
    assert_eq!(same(&odd("input: {a: 2}\n")), (false, true));
    assert_eq!(same(&odd("input: {a: 1}\ntrials: 2\n")), (false, true));
    assert_eq!(same(&odd("input: {a: 1}\nnow: 2026-03-02T09:30:00Z\n")), (false, true));
    assert_eq!(same(&odd("input: {a: 1}\nsources: [policy]\n")), (false, true));
    assert_eq!(same(&odd("input: {a: 1}\nsteps: [invoke: {}, invoke: {}]\n")), (false, true));
    assert_eq!(
        same(&odd("input: {a: 1}\nfaults: [{connector: review, operation: stage, fault: lost_ack}]\n")),
        (false, true)
    );
    let other = "id: odd\ntitle: Other\nworkflow: desk\nexpect: [contains: b]\ninput: {a: 1}\n";
    assert_eq!(same(&with_case(other)), (false, false));
    let fixture = |content: &str| odd("input: {a: 1}\nfixtures: {a: a.txt}\n").with("cases/action/a.txt", content);
    assert_ne!(the_odd_one(&fixture("one")).digest, the_odd_one(&fixture("two")).digest);
}
