//! The project file: its format, its workflows, its environment.

use super::*;

/// Fails unless the project with this text for another is refused, shown from the place in its file.
#[track_caller]
fn assert_refused(project: &str, expected: &str) {
    let shown: Vec<String> =
        problems(&with("holdpoint.yaml", project)).iter().map(|line| line.replacen("holdpoint.yaml:", "", 1)).collect();
    assert_eq!(shown.join("\n"), expected);
}

/// The project file with one text in place of another.
fn edited(from: &str, to: &str) -> String {
    assert!(PROJECT.contains(from), "{from}");
    PROJECT.replacen(from, to, 1)
}

#[test]
fn a_project_needs_its_file_in_a_format_that_is_known() {
    assert_problem(
        &MemoryFiles::new(),
        "holdpoint.yaml:0:0 `holdpoint.yaml` does not exist\n  `holdpoint init` writes one",
    );
    assert_problem(
        &MemoryFiles::new().with_entry("holdpoint.yaml", EntryKind::Symlink),
        "holdpoint.yaml:0:0 `holdpoint.yaml` cannot be read: it is no regular file\n  \
         it must be a regular file that can be read",
    );
    assert_refused(
        &edited("project/1", "project/2"),
        "1:9 expected `holdpoint.project/1`, found `holdpoint.project/2`\n  \
         this file needs a newer holdpoint",
    );
    assert_refused(
        &edited("project/1", "report/1"),
        "1:9 expected `holdpoint.project/1`, found `holdpoint.report/1`\n  \
         this holdpoint reads that format alone",
    );
    assert_refused(
        &edited("schema: holdpoint.project/1\n", ""),
        "1:1 the key `schema` is missing\n  \
         `schema`: The format of this file: `holdpoint.project/1`",
    );
    assert_refused(
        &edited("name: Desk", "nmae: Desk"),
        "1:1 the key `name` is missing\n  \
         `name`: What the project is called in reports\n\
         2:1 unknown key `nmae`\n  \
         did you mean `name`?",
    );
}

#[test]
fn a_project_without_a_case_is_loaded() {
    let files = MemoryFiles::new().with("holdpoint.yaml", "schema: holdpoint.project/1\nname: a\nworkflows: {}\n");
    assert!(load_project(&files, &BTreeMap::new()).unwrap().project.cases.is_empty());
}

#[test]
fn an_argument_from_the_invocation_is_a_json_pointer() {
    assert_refused(
        &edited("    practice: {name: mesa}\n", "    command: {run: [a], arguments: [/input/q, input.q]}\n"),
        "5:47 `input.q` is no JSON pointer\n  \
         it begins with `/`, as in `/input/question`",
    );
}

#[test]
fn memory_is_limited_where_there_is_a_process_and_room_enough_for_one() {
    let hint = "leave it out, or have holdpoint start the workflow: `command`, or `http.start`";
    let refused = format!("there is no process of this workflow whose memory could be limited\n  {hint}");
    let practice = "    practice: {name: mesa}\n";
    assert_refused(
        &edited(practice, &format!("{practice}    memory_cap_bytes: 16777216\n")),
        &format!("6:5 {refused}"),
    );
    let service = "    http: {url: http://127.0.0.1:8080/invoke}\n";
    assert_refused(&edited(service, &format!("{service}    memory_cap_bytes: 16777216\n")), &format!("9:5 {refused}"));
    let command = "    command: {run: [python3, desk.py]}\n";
    let capped =
        |bytes: u64| with("holdpoint.yaml", edited(command, &format!("{command}    memory_cap_bytes: {bytes}\n")));
    assert!(load_project(&capped(16_777_216), &BTreeMap::new()).is_ok());
    assert!(load_project(&capped(16_777_215), &BTreeMap::new()).is_err());
}

#[test]
fn a_memory_cap_is_named_where_the_system_does_not_keep_it() {
    let command = "    command: {run: [python3, desk.py]}\n";
    let text = edited(command, &format!("{command}    memory_cap_bytes: 16777216\n"));
    let read = project_file::read(&MemoryFiles::new().with("holdpoint.yaml", &text));
    let (file, document) = (read.file.unwrap(), read.document.unwrap());
    let named = project_file::caps_not_kept(&file, &document, false);
    assert_eq!(named.len(), 1);
    assert_eq!((named[0].severity, named[0].line), (crate::manifest::Severity::Warning, 12));
    assert!(project_file::caps_not_kept(&file, &document, true).is_empty());
}

#[test]
fn a_workflow_is_run_in_exactly_one_way() {
    assert_refused(
        &edited("    practice: {name: mesa}\n", ""),
        "4:3 expected exactly one of command, http and practice, found none\n  \
         a workflow is run in one way",
    );
    assert_refused(
        &edited("    practice: {name: mesa}\n", "    practice: {name: mesa}\n    command: {run: [a]}\n"),
        "5:5 expected exactly one of command, http and practice, found command and practice\n  \
         a workflow is run in one way",
    );
    assert_refused(
        &edited("{name: mesa}", "{name: masa}"),
        "5:22 expected `mesa` or `r618`, found `masa`\n  did you mean `mesa`?",
    );
    assert_refused(&edited("[python3, desk.py]", "[]"), "11:20 the list is empty\n  The program and its arguments");
    assert_refused(
        &edited("[python3, desk.py]", "['', desk.py]"),
        "11:21 the program's name is empty\n  name a program",
    );
    assert_refused(
        &edited("http://127.0.0.1", "ftp://127.0.0.1"),
        "8:17 the address begins neither with `http://` nor with `https://`\n  \
         write the whole address, as in `http://127.0.0.1:8080/invoke`",
    );
    assert_refused(
        &edited("    parts: [drafter", "    now: noon\n    parts: [drafter"),
        "6:10 `noon` is no time in the form of RFC 3339\n  write it as in `2026-03-02T09:30:00Z`",
    );
    assert_refused(
        &edited("    parts: [drafter", "    timeout_s: 0\n    parts: [drafter"),
        "6:16 expected at least 1, found 0\n  Seconds that one step may take",
    );
    assert_refused(
        &edited("    parts: [drafter", "    jobs: 0\n    parts: [drafter"),
        "6:11 expected at least 1, found 0\n  Trials of this workflow at once at the most, beside what `--jobs` says",
    );
    assert_refused(
        &edited("    parts: [drafter", "    code: ['src/[']\n    parts: [drafter"),
        "6:12 `src/[` is no glob: unclosed character class; missing ']'",
    );
}

#[test]
fn names_have_a_form_and_differ_by_more_than_letter_case() {
    assert_refused(
        &edited("  local:\n", "  Remote:\n"),
        "7:3 the workflow name `remote` differs only in letter case from `Remote`\n  \
         choose another name",
    );
    assert_refused(
        &edited("  local:\n", "  a/b:\n"),
        "10:3 `a/b` is no workflow name\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
    assert_refused(
        &edited("  review_queue:\n", "  review queue:\n"),
        "14:3 `review queue` is no probe name\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
    assert_refused(
        &format!("{PROJECT}risks: [tone, Tone, duplicate, a b]\n"),
        "16:15 the risk `Tone` is named twice\n  \
         keep one of the two\n\
         16:21 the risk `duplicate` is built in\n  \
         leave it out\n\
         16:32 `a b` is no risk name\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
    assert_refused(
        &format!("{PROJECT}inert: ['docs/**', /docs, '[']\n"),
        "16:20 the glob `/docs` is absolute and leaves the project\n  \
         write it relative to the project's folder, with `/` between names\n\
         16:27 `[` is no glob: unclosed character class; missing ']'",
    );
}

#[test]
fn parts_that_a_workflow_names_exist() {
    assert_refused(
        &edited("clerks, review", "clerk, review"),
        "6:38 no manifest has the id `clerk`\n  did you mean `clerks`?",
    );
    assert_refused(
        &edited("clerks, review", "clerks, clerks, review"),
        "6:46 `clerks` is named twice\n  keep one of the two",
    );
}

#[test]
fn a_probe_asks_one_question_inside_the_state_directory() {
    assert_refused(
        &edited("{database: desk.db, query: SELECT * FROM review_queue}", "{database: ../desk.db, query: ' '}"),
        "15:21 the path `../desk.db` goes up with `..`\n  \
         the database lies in the trial's state directory\n\
         15:40 the query is empty\n  \
         write one SELECT",
    );
    assert_refused(
        &edited("    sql: {database: desk.db, query: SELECT * FROM review_queue}\n", "    {}\n"),
        "15:5 the probe asks nothing\n  write one of `sql`, `http`, `command` and `file`, with what it asks below it",
    );
    assert_refused(
        &edited("    sql: {database", "    workflow: desc\n    sql: {database"),
        "15:15 there is no workflow `desc`\n  did you mean `desk`?",
    );
}

#[test]
fn variables_are_replaced_where_the_file_takes_them_and_nowhere_else() {
    let project = edited(
        "http: {url: http://127.0.0.1:8080/invoke}",
        "http: {url: 'http://${HOST}:${PORT}/$${x}', headers: {X-Key: '${KEY}'}, ready: {url: 'http://${HOST}/'}}",
    )
    .replace(
        "command: {run: [python3, desk.py]}",
        "command: {run: ['${HOST}'], env: {pass: [HOST], set: {A: 'x${PORT}'}}}",
    );
    let environment = [("HOST", "localhost"), ("PORT", "80"), ("KEY", "${HOST}")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let loaded = load_project(&with("holdpoint.yaml", &project), &environment).unwrap().project;
    let http = loaded.file.workflows["remote"].http.as_ref().unwrap();
    assert_eq!(http.url, "http://localhost:80/${x}");
    assert_eq!(http.headers["X-Key"], "${HOST}");
    assert_eq!(http.ready.as_ref().unwrap().url, "http://localhost/");
    let command = loaded.file.workflows["local"].command.as_ref().unwrap();
    assert_eq!(command.run, ["${HOST}"]);
    assert_eq!(command.env.set["A"], "x80");
    let side = load_side(&with("holdpoint.yaml", &project));
    assert_eq!(side.project_file_digest, Some(loaded.file_digest), "the digest does not depend on the environment");
}

#[test]
fn a_variable_that_is_not_set_is_an_error() {
    let http = |http: &str| edited("{url: http://127.0.0.1:8080/invoke}", http);
    assert_refused(
        &http("{url: 'http://${HOST}/${PORT}'}"),
        "8:17 the environment variable `HOST` is not set\n  \
         set it, or write `$${` for a plain `${`\n\
         8:17 the environment variable `PORT` is not set\n  \
         set it, or write `$${` for a plain `${`",
    );
    assert_refused(
        &http("{url: http://a, headers: {A/B: '${KEY}'}}"),
        "8:42 the environment variable `KEY` is not set\n  set it, or write `$${` for a plain `${`",
    );
    assert_refused(
        &http("{url: 'http://${}'}"),
        "8:17 `${` begins the name of an environment variable, and none follows\n  \
         write `$${` for a plain `${`",
    );
    assert_refused(
        &http("{url: 'http://${HOST'}"),
        "8:17 `${` begins the name of an environment variable, and none follows\n  \
         write `$${` for a plain `${`",
    );
    assert_refused(
        &http("{url: http://a, env: {pass: [HOST, 1A], pass_if_set: [B, ''], set: {C-D: a}}}"),
        "8:40 the environment variable `HOST` is not set\n  \
         set it, or move the name to `pass_if_set`\n\
         8:46 `1A` is no name of an environment variable\n  \
         a name has letters, digits and `_`, and no digit first\n\
         8:68 `` is no name of an environment variable\n  \
         a name has letters, digits and `_`, and no digit first\n\
         8:84 `C-D` is no name of an environment variable\n  \
         a name has letters, digits and `_`, and no digit first",
    );
}

/// The valid project whose first workflow declares this code.
fn with_code(globs: &str) -> MemoryFiles {
    let first = PROJECT.lines().find(|line| line.trim_start().starts_with("parts:")).unwrap();
    let indent = first.len() - first.trim_start().len();
    let lines: Vec<&str> = PROJECT.lines().filter(|line| !line.trim_start().starts_with("code:")).collect();
    let code = format!("{first}\n{:indent$}code: [{globs}]", "");
    with("holdpoint.yaml", lines.join("\n").replacen(first, &code, 1) + "\n")
}

#[test]
fn code_where_holdpoint_writes_is_refused_with_its_place() {
    for (glob, folder) in [
        ("reports/lib/**", "reports"),
        (".holdpoint/x.py", ".holdpoint"),
        ("baselines/*.py", "baselines"),
        ("rep*/lib/*.py", "reports"),
    ] {
        let errors = load_project(&with_code(&format!("'{glob}'")), &BTreeMap::new()).unwrap_err();
        let expected = format!("the glob `{glob}` names code below `{folder}/`, where holdpoint itself writes");
        let error = errors.iter().find(|error| error.message == expected).unwrap_or_else(|| panic!("{errors:?}"));
        assert!(error.line > 0 && error.hint.is_some());
    }
    assert!(load_project(&with_code("'**/*.py', '*/a.py', 'app/reports/**'"), &BTreeMap::new()).is_ok());
}

#[test]
fn a_code_glob_that_matches_no_file_is_worth_a_look() {
    let files =
        with_code("'app/*.py', 'ap/**', 'main.py', 'gone.py', '**/b.py'").with("app/b.py", "").with("main.py", "");
    let warnings = load_project(&files, &BTreeMap::new()).unwrap().warnings;
    let about: Vec<&str> = warnings
        .iter()
        .map(|warning| warning.message.as_str())
        .filter(|message| message.contains("matches no file"))
        .collect();
    assert_eq!(about.len(), 2, "{about:?}");
    for glob in ["ap/**", "gone.py"] {
        assert!(about.contains(&format!("the glob `{glob}` matches no file of the project").as_str()), "{about:?}");
    }
}

#[test]
fn a_secret_that_is_too_short_to_be_redacted_is_worth_a_look() {
    let names = "pass: [DESK_PIN, API_TOKEN, DEBUG, PINT], pass_if_set: [OTHER_KEY, NO_KEY]";
    let env = format!("command: {{run: [python3, desk.py], env: {{{names}}}}}");
    let project = edited("command: {run: [python3, desk.py]}", &env);
    let values = [("DESK_PIN", "12345"), ("API_TOKEN", "123456"), ("DEBUG", "1"), ("PINT", "1"), ("OTHER_KEY", "a")];
    let environment = values.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let warnings = load_project(&with("holdpoint.yaml", &project), &environment).unwrap().warnings;
    let about: Vec<&str> = warnings
        .iter()
        .map(|warning| warning.message.as_str())
        .filter(|message| message.contains("too short"))
        .collect();
    let expected = ["DESK_PIN", "OTHER_KEY"]
        .map(|name| format!("the value of `{name}` is too short to be redacted where it is recorded"));
    assert_eq!(about, expected);
}
