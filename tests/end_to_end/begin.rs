//! `holdpoint init`: a first project in a repository of one's own, and whole examples.

use std::fs;

use crate::sandbox::Sandbox;

const DESK: &str = r#"import os

MODEL = "gpt-4o-mini"


def reply(question):
    return "Unused parts can be returned within 30 days." if "return" in question else "I do not know."
"#;

fn repository() -> Sandbox {
    Sandbox::with_files(&[
        ("README.md", "# A desk\n"),
        ("desk.py", DESK),
        ("prompts/answer.md", "Answer from the policies.\n"),
        ("policies/returns.md", "Unused parts: 30 days.\n"),
        (".gitignore", "*.pyc\n"),
    ])
}

#[test]
fn the_gate_runs_at_once_and_is_green_once_its_author_has_written_what_only_they_know() {
    let sandbox = repository();
    let ran = sandbox.holdpoint(&["init"]).expect(0);
    assert!(ran.stdout.contains("manifests/returns.yaml"), "{}", ran.stdout);
    ran.says("join your workflow in the adapter");
    sandbox.holdpoint(&["check"]).expect(0);

    // Nothing is green before anything was written: both cases fail, and say what they lack.
    sandbox
        .holdpoint(&["gate"])
        .expect(12)
        .says("answers-with-text")
        .says("holdpoint_adapter.py, not joined to a workflow yet");

    sandbox.edit(
        "holdpoint_adapter.py",
        "    return {\"output\": f\"holdpoint_adapter.py, not joined to a workflow yet: {question}\"}",
        "    from desk import reply\n    return {\"output\": reply(question)}",
    );
    sandbox.edit("cases/policy_accuracy/says-a-fact.yaml", "\"<write here what the answer must say>\"", "30 days");
    sandbox.edit("cases/policy_accuracy/says-a-fact.yaml", "{question: \"", "{question: \"May I return it? ");
    sandbox.commit("a project");
    // What keeps the generated out of git is in every clone, and so is what editors read; nothing that was generated is.
    let kept = sandbox.git(&["ls-files", ".holdpoint", "reports"]);
    let (schemas, others): (Vec<&str>, Vec<&str>) =
        kept.lines().partition(|path| path.starts_with(".holdpoint/schemas/") && path.ends_with(".json"));
    assert!(schemas.contains(&".holdpoint/schemas/case.json"), "{kept}");
    assert_eq!(others, [".holdpoint/.gitignore", "reports/.gitignore"]);
    sandbox.measure_and_accept();
    sandbox.holdpoint(&["gate"]).expect(0);

    sandbox.edit("desk.py", "30 days", "14 days");
    sandbox.holdpoint(&["gate"]).expect(10).says("says-a-fact");
    let status = sandbox.git(&["status", "--short"]);
    assert_eq!(status.trim(), "M desk.py", "what is generated stays out of git");
}

#[test]
fn nothing_that_stands_there_is_touched() {
    let sandbox = repository();
    sandbox
        .write("manifests/returns.yaml", "kind: source\nid: returns\nversion: \"7\"\nfiles: [policies/returns.md]\n");
    sandbox.write(".github/workflows/holdpoint.yml", "mine\n");
    let ran = sandbox.holdpoint(&["init"]).expect(0);
    ran.says("manifests/returns.yaml stood there already").says(".github/workflows/holdpoint.yml stood there already");
    assert_eq!(sandbox.read(".gitignore"), "*.pyc\n");
    assert_eq!(sandbox.read(".github/workflows/holdpoint.yml"), "mine\n");
    assert!(sandbox.read("manifests/returns.yaml").contains("\"7\""));
    sandbox.holdpoint(&["check"]).expect(0);
    let before = sandbox.read("holdpoint.yaml");
    sandbox.holdpoint(&["init"]).expect(2).says("nothing is overwritten");
    assert_eq!(sandbox.read("holdpoint.yaml"), before);
}

#[test]
fn where_something_is_in_the_way_nothing_is_written_and_a_second_try_is_a_first_one() {
    let sandbox = repository();
    sandbox.write("cases", "notes of mine\n");
    let before = sandbox.contents("");
    sandbox
        .holdpoint(&["init", "--", "python3", "bot.py"])
        .expect(2)
        .says("`cases` is no folder")
        .says("Nothing that exists was touched");
    assert_eq!(sandbox.contents(""), before);
    std::fs::remove_file(sandbox.project().join("cases")).unwrap();
    sandbox.holdpoint(&["init", "--", "python3", "bot.py"]).expect(0);
}

#[test]
fn a_link_is_not_written_through() {
    let sandbox = repository();
    let outside = sandbox.project().parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    for folder in ["manifests", "cases"] {
        let link = sandbox.project().join(folder);
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        let ran = sandbox.holdpoint(&["init"]).expect(2);
        ran.says("links are not followed").says("or the folder itself where a link stands");
        fs::remove_file(link).unwrap();
    }
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
}

#[test]
fn no_part_is_begun_of_a_link_or_of_a_file_in_a_submodule_and_the_gate_runs() {
    let sandbox = repository();
    for (link, target) in [("prompts/system.md", "answer.md"), ("policies/gone.md", "/nowhere/gone.md")] {
        std::os::unix::fs::symlink(target, sandbox.project().join(link)).unwrap();
    }
    let library = sandbox.project().parent().unwrap().join("library");
    fs::create_dir(&library).unwrap();
    let library = library.to_str().unwrap().to_owned();
    fs::create_dir(format!("{library}/prompts")).unwrap();
    fs::write(format!("{library}/prompts/p.txt"), "Answer.\n").unwrap();
    fs::write(format!("{library}/m.py"), "MODEL = \"other-2\"\n").unwrap();
    sandbox.git(&["init", "--quiet", &library]);
    sandbox.git(&["-C", &library, "add", "--all"]);
    sandbox.git(&["-C", &library, "commit", "--quiet", "--message", "begin"]);
    sandbox.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &library, "lib"]);
    sandbox.commit("links and a library");

    let ran = sandbox.holdpoint(&["init"]).expect(0);
    ran.says("policies/gone.md, prompts/system.md are symbolic links").says("lib is a git repository of its own");
    for path in ["manifests/system-prompt.yaml", "manifests/gone.yaml", "manifests/p-prompt.yaml"] {
        assert!(!sandbox.project().join(path).exists(), "{path}");
    }
    assert!(!sandbox.read("holdpoint.yaml").contains("lib/**"));
    sandbox.holdpoint(&["gate"]).expect(12);
    let said = sandbox.holdpoint(&["rules", "--explain", "lib/m.py"]).expect(0).stdout;
    assert!(said.contains("lies in the git submodule `lib`") && said.contains("a change of unclassified"), "{said}");
    let whole = sandbox.holdpoint(&["rules", "--explain", "lib"]).expect(0).stdout;
    assert!(!whole.contains("lib/m.py"), "git tells of its commit alone: {whole}");
}

#[test]
fn files_that_git_ignores_are_named_with_the_way_out() {
    let sandbox = repository();
    let told = sandbox.holdpoint(&["init"]).expect(0).told();
    assert!(!told.contains("git ignores"), "{told}");
    let sandbox = repository();
    sandbox.write(".gitignore", "*.yaml\nholdpoint_adapter.py/\n.holdpoint/\n");
    let ran = sandbox.holdpoint(&["init"]).expect(0).says("git ignores holdpoint.yaml, manifests/");
    let told = ran.says("git add --force").told();
    let warning = told.lines().find(|line| line.contains("git ignores")).unwrap();
    // The project file, three manifests and two cases: a rule for folders says nothing of the adapter's file.
    assert!(warning.contains(" and 1 more"), "{warning}");
    assert!(!warning.contains(".holdpoint"), "what is generated is to be ignored: {warning}");
}

#[test]
fn what_the_file_for_ci_still_lacks_is_a_step() {
    for (system, placeholder) in
        [("github", "your-organisation/holdpoint"), ("gitlab", "registry.example.org/holdpoint")]
    {
        let sandbox = repository();
        sandbox.holdpoint(&["init", "--ci", system]).expect(0).says(&format!("for `{placeholder}`"));
        // What is to be replaced stands there.
        let path = if system == "github" { ".github/workflows/holdpoint.yml" } else { ".gitlab/holdpoint.yml" };
        assert!(sandbox.read(path).contains(&format!(" {placeholder}")), "{path}");
    }
    let told = repository().holdpoint(&["init", "--ci", "script"]).expect(0).told();
    assert!(!told.contains("your-organisation") && !told.contains("registry.example.org"), "{told}");
}

#[test]
fn where_other_programs_files_would_be_read_as_the_projects_nothing_is_written_and_they_are_named() {
    const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: desk}\n";
    // The name of the last is that of a manifest that `init` would write.
    for (path, text) in [
        ("manifests/deployment.yaml", DEPLOYMENT),
        ("cases/one.yaml", "name: one\n"),
        ("manifests/returns.yaml", "kind: Service\nmetadata: {name: returns}\n"),
    ] {
        let sandbox = repository();
        sandbox.write(path, text);
        let before = sandbox.contents("");
        for begin in [&["init"][..], &["init", "--example", "r618"]] {
            let ran = sandbox.holdpoint(begin).expect(2);
            ran.says(&format!("cannot be: {path} (")).says("holdpoint --project NAME init");
            assert_eq!(sandbox.contents(""), before, "{path}");
        }
        // What the hint says begins a project that the gate can run.
        sandbox.holdpoint(&["--project", "evaluation", "init"]).expect(0);
        assert_eq!(sandbox.read(path), text);
        sandbox.holdpoint(&["--project", "evaluation", "gate"]).expect(12);
    }
}

#[test]
fn of_many_files_in_the_wrong_place_some_are_named() {
    let sandbox = repository();
    for number in 1..=5 {
        sandbox.write(&format!("manifests/{number}.yaml"), "kind: Deployment\n");
    }
    let ran = sandbox.holdpoint(&["init"]).expect(2).says("manifests/3.yaml (").says(" and 2 more");
    assert!(!ran.stderr.contains("manifests/4.yaml"), "{}", ran.stderr);
}

#[test]
fn a_folder_that_was_made_for_a_project_that_did_not_begin_is_gone_again() {
    let sandbox = repository();
    sandbox.write(".github", "no folder\n");
    sandbox.holdpoint(&["--project", "evaluation", "init", "--ci", "github"]).expect(2).says("`.github` is no folder");
    assert!(!sandbox.project().join("evaluation").exists());
}

#[test]
fn quiet_says_only_what_went_wrong() {
    for begin in [&["init", "--quiet"][..], &["init", "-q", "--example", "r618"]] {
        let sandbox = repository();
        let ran = sandbox.holdpoint(begin).expect(0);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
        sandbox.holdpoint(begin).expect(2).says("stands there already");
    }
}

#[test]
fn editors_find_the_schema_of_the_file_for_ci() {
    for (system, path, schema) in [
        ("github", ".github/workflows/holdpoint.yml", "https://json.schemastore.org/github-workflow.json"),
        ("gitlab", ".gitlab/holdpoint.yml", "/editor/schema/ci.json"),
    ] {
        let sandbox = repository();
        sandbox.holdpoint(&["init", "--ci", system]).expect(0);
        let text = sandbox.read(path);
        let line = text.lines().next().unwrap();
        assert!(line.starts_with("# yaml-language-server: $schema=https://") && line.ends_with(schema), "{line}");
    }
}

#[test]
fn editors_find_the_schema_that_the_first_line_of_each_file_names() {
    let sandbox = repository();
    sandbox.holdpoint(&["init"]).expect(0);
    for path in ["holdpoint.yaml", "manifests/returns.yaml", "cases/policy_accuracy/says-a-fact.yaml"] {
        assert!(schema_of(&sandbox, path)["$schema"].as_str().unwrap().contains("json-schema.org"));
    }
}

/// The schema to which the first line of a file leads an editor, from the file's own folder.
#[track_caller]
fn schema_of(sandbox: &Sandbox, path: &str) -> serde_json::Value {
    let text = sandbox.read(path);
    let line = text.lines().next().unwrap_or_default().strip_prefix("# yaml-language-server: $schema=");
    let line = line.unwrap_or_else(|| panic!("{path} begins with {:?}", text.lines().next()));
    let file = sandbox.project().join(path).parent().unwrap().join(line);
    let schema = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {}: {error}", file.display()));
    serde_json::from_str(&schema).unwrap()
}

#[test]
fn every_file_of_an_example_leads_editors_to_its_schema_in_every_clone() {
    for example in ["support-desk", "r618"] {
        let sandbox = Sandbox::empty();
        sandbox.holdpoint(&["init", "--example", example]).expect(0);
        sandbox.commit("the example");
        let files = sandbox.git(&["ls-files", "*.yaml"]);
        assert!(files.lines().count() > 15, "{files}");
        for path in files.lines() {
            let title = schema_of(&sandbox, path)["title"].as_str().unwrap().to_owned();
            let kind = match path.split('/').next() {
                Some("holdpoint.yaml") => "project".to_owned(),
                Some("cases") => "case".to_owned(),
                _ => {
                    let text = sandbox.read(path);
                    text.lines().find_map(|line| line.strip_prefix("kind: ")).unwrap().to_owned()
                }
            };
            assert!(title.contains(&kind), "{path}: {title}");
        }
        assert!(sandbox.git(&["ls-files", ".holdpoint"]).contains(".holdpoint/schemas/case.json"));
        assert_eq!(sandbox.git(&["ls-files", ".holdpoint", "reports"]).lines().count(), 8, "nothing else of it");
    }
}

#[test]
fn a_schema_that_holdpoint_did_not_write_is_left_as_it_is_and_said() {
    let sandbox = repository();
    sandbox.write(".holdpoint/schemas/case.json", "{\"title\": \"mine\"}");
    sandbox.holdpoint(&["init"]).expect(0).says(".holdpoint/schemas/case.json stood there already and is as it was");
    sandbox.holdpoint(&["schema", "--write"]).expect(2).says("case.json is no schema that holdpoint wrote");
    assert_eq!(sandbox.read(".holdpoint/schemas/case.json"), "{\"title\": \"mine\"}");
}

#[test]
fn reports_of_ones_own_stay_gits() {
    for has_gitignore in [true, false] {
        let sandbox = repository();
        if !has_gitignore {
            fs::remove_file(sandbox.project().join(".gitignore")).unwrap();
        }
        sandbox.write("reports/2026-q1.md", "Ours.\n");
        sandbox.commit("a report of ours");
        sandbox.holdpoint(&["init"]).expect(0).says("reports/2026-q1.md lies where holdpoint writes its reports");
        sandbox.write("reports/2026-q2.md", "Ours, too.\n");
        sandbox.holdpoint(&["run", "--all"]).expect(10);
        sandbox.git(&["add", "--all"]);
        let kept = sandbox.git(&["ls-files", "reports"]);
        let kept: Vec<&str> = kept.lines().filter(|path| !path.ends_with(".gitignore")).collect();
        assert_eq!(kept, ["reports/2026-q1.md", "reports/2026-q2.md"]);
    }
}

#[test]
fn schemas_that_are_gone_can_be_written_again() {
    let sandbox = repository();
    sandbox.holdpoint(&["init"]).expect(0);
    fs::remove_dir_all(sandbox.project().join(".holdpoint/schemas")).unwrap();
    sandbox.holdpoint(&["schema", "--write"]).expect(0);
    assert_eq!(fs::read_dir(sandbox.project().join(".holdpoint/schemas")).unwrap().count(), 8);
}

#[test]
fn the_support_desk_is_laid_down_with_its_accepted_results() {
    let sandbox = Sandbox::empty();
    sandbox.holdpoint(&["init", "--example", "support-desk"]).expect(0);
    sandbox.commit("the example");
    sandbox.holdpoint(&["gate"]).expect(0);
    sandbox.holdpoint(&["init", "--example", "r618"]).expect(2);
}

#[test]
fn the_example_that_acts_is_laid_down_whole_and_finds_its_defect() {
    let sandbox = Sandbox::empty();
    sandbox.holdpoint(&["init", "--example", "r618"]).expect(0);
    sandbox.commit("the example");
    sandbox.measure_and_accept();
    let report = sandbox.report();
    assert!(report["counts"]["passed"].as_u64().unwrap() > 50, "{}", report["counts"]);
    assert_eq!(report["counts"]["passed"], report["counts"]["selected"]);
    sandbox.edit("manifests/r618-inventory.yaml", "settings: {", "settings: {defect: new_key_per_retry, ");
    sandbox.holdpoint(&["gate"]).expect(10);
}

#[test]
fn an_example_is_laid_down_beside_a_readme_and_beside_nothing_else_of_its_own() {
    let sandbox = Sandbox::with_files(&[("README.md", "# Ours\n")]);
    sandbox.holdpoint(&["init", "--example", "r618"]).expect(0).says("README.md stood there already and is as it was");
    assert_eq!(sandbox.read("README.md"), "# Ours\n");
    sandbox.holdpoint(&["check"]).expect(0);
    let taken = Sandbox::with_files(&[("manifests/r618-inventory.yaml", "mine\n")]);
    taken.holdpoint(&["init", "--example", "r618"]).expect(2).says("stands there already");
    assert!(!taken.project().join("holdpoint.yaml").exists());
}

#[test]
fn an_example_is_laid_down_beside_a_gitignore_and_what_it_generates_stays_out_of_git() {
    let sandbox = Sandbox::with_files(&[(".gitignore", "*.log\n")]);
    let ran = sandbox.holdpoint(&["init", "--example", "support-desk"]).expect(0);
    ran.says("README.md says what to try").says(".gitignore stood there already and is as it was");
    assert_eq!(sandbox.read(".gitignore"), "*.log\n");
    sandbox.commit("the example");
    sandbox.holdpoint(&["gate", "--all"]).expect(0);
    assert!(sandbox.project().join("reports/latest").exists(), "something was generated");
    assert_eq!(sandbox.git(&["status", "--short"]), "", "what is generated stays out of git");
    assert!(sandbox.git(&["ls-files", ".holdpoint"]).contains(".holdpoint/schemas/case.json"));
    let ours = Sandbox::with_files(&[(".gitignore", "*.log\n"), ("reports/2026-q1.md", "Ours.\n")]);
    ours.holdpoint(&["init", "--example", "r618"]).expect(0);
    ours.write("reports/2026-q2.md", "Ours, too.\n");
    ours.git(&["add", "--all"]);
    assert!(ours.git(&["ls-files", "reports"]).contains("2026-q2.md"), "reports of one's own stay git's");
}

#[test]
fn an_address_that_is_none_is_refused_before_anything_is_written() {
    let sandbox = repository();
    for url in ["ftp://127.0.0.1/x", "127.0.0.1:8080", "http://", "http:///x", "http://a b/"] {
        sandbox.holdpoint(&["init", "--url", url]).expect(2).says("is no address of an HTTP service");
    }
    assert!(!sandbox.project().join("holdpoint.yaml").exists());
    sandbox.holdpoint(&["init", "--url", "http://127.0.0.1:8080/ask"]).expect(0);
}

/// Other parsers of YAML, and earlier versions of it, take a `?` before the end of a flow mapping for more than a letter.
#[test]
fn what_is_written_is_read_by_every_parser_of_yaml() {
    let begun = repository();
    begun.holdpoint(&["init"]).expect(0);
    begun.holdpoint(&["case", "new", "--for", "returns/policy_accuracy"]).expect(0);
    let desk = Sandbox::empty();
    desk.holdpoint(&["init", "--example", "support-desk"]).expect(0);
    let acting = Sandbox::empty();
    acting.holdpoint(&["init", "--example", "r618"]).expect(0);
    for sandbox in [begun, desk, acting] {
        sandbox.git(&["add", "--all"]);
        for path in sandbox.git(&["ls-files", "*.yaml"]).lines() {
            let text = sandbox.read(path);
            let plain_question =
                |line: &&str| !line.trim_start().starts_with('#') && (line.contains("?}") || line.contains("?,"));
            assert_eq!(text.lines().find(plain_question), None, "{path}");
        }
    }
}
