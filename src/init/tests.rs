//! What repositories show, and that whatever is written for them passes the check.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::manifest::{EntryKind, FileSource as _, Loaded, MemoryFiles, PartKind, load_project};

fn look_at(files: &MemoryFiles) -> Found {
    let paths = files.list("").unwrap();
    look(&paths, &|path| files.kind(path), &|path| String::from_utf8(files.read(path).ok()?).ok())
}

fn proposal(found: &Found, start: Start) -> Proposal<'_> {
    Proposal { found, name: "Order desk", below: "", has_reports: false, start, ci: Some(CiSystem::Github) }
}

/// The repository with all that is proposed for it.
fn begun(mut files: MemoryFiles, start: Start) -> (Vec<NewFile>, MemoryFiles) {
    let found = look_at(&files);
    let new = propose(&proposal(&found, start));
    for file in &new {
        files = files.with(&file.path, &file.text);
    }
    (new, files)
}

#[track_caller]
fn loaded(files: &MemoryFiles) -> Loaded {
    load_project(files, &BTreeMap::new()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn desk() -> MemoryFiles {
    MemoryFiles::new()
        .with("README.md", "A desk.")
        .with(
            "app/desk.py",
            "MODEL = \"gpt-4o-mini\"\nORDERS = os.environ[\"ORDERS_URL\"]\nKEY = os.getenv('OPENAI_API_KEY')\n",
        )
        .with("app/store.py", "db = os.environ['DATABASE_URL']\n")
        .with("run.py", "import app\n")
        .with("prompts/answer.md", "Answer.")
        .with("policies/returns.md", "30 days.")
        .with("policies/archive/returns.md", "14 days.")
        .with(
            "tools/open_ticket.json",
            r#"{"name": "open_ticket", "description": "Opens: one", "parameters": {"type": "object"}}"#,
        )
        .with("tools/broken.json", "{")
        .with("tests/prompts/old.md", "not a part")
        .with("node_modules/x/prompts/theirs.md", "not a part")
        .with("roles.toml", "")
}

#[test]
fn what_is_about_prompts_is_none_and_what_is_called_one_is() {
    let prompts = [
        "system_prompt.txt",
        "app/answer-prompt.v2.md",
        "app/prompt_de.md",
        "app/systemPrompt.txt",
        "app/prompts.txt",
        "prompts/anything.md",
        "docs/prompts/answer.md",
    ];
    let others = [
        "docs/prompt-engineering-notes.md",
        "prompt-engineering-notes.md",
        "prompt-injection.md",
        "docs/system-prompt.md",
        "prompting.md",
        "app/prompt.yaml",
    ];
    let mut files = MemoryFiles::new();
    for path in prompts.iter().chain(&others) {
        files = files.with(path, "Answer.");
    }
    let mut expected = prompts.to_vec();
    expected.sort_unstable();
    assert_eq!(look_at(&files).prompts, expected);
}

#[test]
fn settings_name_a_model_without_quotes_and_data_does_not() {
    let models = |path: &str, text: &str| -> Vec<String> {
        look_at(&MemoryFiles::new().with(path, text)).models.into_iter().map(|line| line.name).collect()
    };
    let settings = "name: desk\nllm:\n  model: gpt-4o-mini  # small\n  temperature: 0\n";
    assert_eq!(models("config/agent.yaml", settings), ["gpt-4o-mini"]);
    assert_eq!(models("settings.yml", "default_model: mistral/large-2\n"), ["mistral/large-2"]);
    assert_eq!(models(".env", "OPENAI_MODEL=gpt-4o\nPORT=1\n"), ["gpt-4o"]);
    assert_eq!(models("config/agent.yaml", "model: default\nremodel: x1\nmodels: v2 and v3\n"), [""; 0]);
    assert_eq!(models("data/cars.yaml", "- model: golf7\n"), [""; 0]);
    assert_eq!(models("config/agent.yaml", "model: \"gpt-4o\"\n"), ["gpt-4o"]);
}

#[test]
fn a_repository_shows_its_parts_by_names_and_lines() {
    let found = look_at(&desk());
    assert_eq!(found.prompts, ["prompts/answer.md"]);
    assert_eq!(found.sources, ["policies/archive/returns.md", "policies/returns.md"]);
    assert_eq!(found.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["open_ticket"]);
    let line =
        |name: &str, path: &str, line| FoundLine { name: name.to_owned(), path: path.to_owned(), line, default: None };
    assert_eq!(found.models, [line("gpt-4o-mini", "app/desk.py", 1)]);
    assert_eq!(found.addresses, [line("ORDERS_URL", "app/desk.py", 2)], "a database speaks no HTTP");
    assert_eq!(found.keys, [line("OPENAI_API_KEY", "app/desk.py", 3)]);
    assert_eq!(found.code, ["app/**", "run.py"]);
    assert_eq!(found.language, Language::Python);
    assert_eq!(found.inert, ["README.md"]);
    assert_eq!(found.notices.len(), 1, "{:?}", found.notices);
    assert!(found.notices[0].starts_with("roles.toml "), "{:?}", found.notices);
}

#[test]
fn a_document_that_code_names_is_a_source_and_a_models_address_is_no_connector() {
    let files = MemoryFiles::new()
        .with("bot.py", "rules = open(\"docs/rules.md\").read()\nopen('README.md')\nopen(\"prompts/a.md\")\nos.environ[\"MODEL_URL\"]\n")
        .with("web/app.js", "const terms = read('./terms.txt'), gone = 'docs/gone.md'\n")
        .with("docs/rules.md", "21 days.")
        .with("docs/unread.md", "For people.")
        .with("web/terms.txt", "None.")
        .with("README.md", "A bot.")
        .with("prompts/a.md", "Answer.");
    let found = look_at(&files);
    assert_eq!(found.sources, ["docs/rules.md", "web/terms.txt"]);
    assert_eq!(found.prompts, ["prompts/a.md"]);
    assert_eq!((found.addresses.len(), found.model_addresses.len()), (0, 1));
    let project = loaded(&begun(files.clone(), Start::Adapter).1).project;
    assert!(!project.parts.values().any(|part| part.kind == PartKind::Connector));
    let (new, _) = begun(files, Start::Adapter);
    assert!(new.iter().any(|file| file.text.contains("# env: {pass: [MODEL_URL]}")));
}

#[test]
fn links_are_left_out_and_named_where_they_would_have_been_taken() {
    let links = ["prompts/system.md", "policies/terms.md", "tools/find.json", "start.py", "docs/rules.md"];
    let others = ["AGENTS.md", "tests/prompts/link.md", "README.md"];
    let files = MemoryFiles::new().with("prompts/base.md", "Answer.").with("bot.py", "open('docs/rules.md')\n");
    let files = links.iter().chain(&others).fold(files, |files, path| files.with_entry(path, EntryKind::Symlink));
    let found = look_at(&files);
    assert_eq!((found.prompts.as_slice(), found.sources.len()), (&["prompts/base.md".to_owned()][..], 0));
    assert_eq!((found.tools.len(), found.code.as_slice()), (0, &["bot.py".to_owned()][..]));
    assert_eq!(found.inert, ["README.md"], "a change of the link itself is seen");
    let mut expected = links;
    expected.sort_unstable();
    let [notice] = found.notices.as_slice() else { panic!("{:?}", found.notices) };
    assert!(notice.starts_with(&format!("{} are symbolic links, and links are not followed", expected.join(", "))));
}

#[test]
fn nothing_is_taken_from_a_repository_that_lies_in_this_one() {
    let module = MemoryFiles::new()
        .with("lib/.git", "gitdir: ../.git/modules/lib\n")
        .with("lib/prompts/p.txt", "Answer.")
        .with("lib/policies/p.md", "30 days.")
        .with("lib/m.py", "MODEL = \"gpt-4o-mini\"\nos.environ['SHOP_URL']\n")
        .with("vendor/x/.git/HEAD", "")
        .with("vendor/x/prompts/p.txt", "Answer.");
    let found = look_at(&module.with("library/m.py", "import m\n"));
    assert_eq!(found.code, ["library/**"]);
    assert_eq!((found.prompts.len(), found.sources.len(), found.models.len(), found.addresses.len()), (0, 0, 0, 0));
    let [notice] = found.notices.as_slice() else { panic!("{:?}", found.notices) };
    assert!(notice.starts_with("lib is a git repository of its own, as a submodule is:"), "{notice}");
}

#[test]
fn what_is_written_passes_the_check_and_says_what_was_found() {
    let (new, files) = begun(desk(), Start::Adapter);
    let project = loaded(&files).project;
    let parts: Vec<(&str, PartKind)> = project.parts.iter().map(|(id, part)| (id.as_str(), part.kind)).collect();
    let expected = [
        ("answer-prompt", PartKind::Prompt),
        ("gpt-4o-mini", PartKind::Model),
        ("open-ticket", PartKind::Tool),
        ("orders", PartKind::Connector),
        ("policies-returns", PartKind::Source),
        ("returns", PartKind::Source),
    ];
    assert_eq!(parts, expected);
    let workflow = &project.file.workflows["order-desk"];
    assert_eq!(workflow.parts.len(), expected.len(), "each part is the workflow's");
    assert_eq!(workflow.code, ["app/**", "run.py"]);
    assert_eq!(project.cases.len(), 2);
    let adapter = new.iter().find(|file| file.path == "holdpoint_adapter.py").unwrap();
    assert!(adapter.text.contains("holdpoint_adapter.py, not joined to a workflow yet"), "it says which file to join");
    let case = new.iter().find(|file| file.path.ends_with("answers-with-text.yaml")).unwrap();
    assert!(case.text.contains(adapter::NOT_JOINED), "the case fails until the adapter is joined");
    assert!(new.iter().any(|file| file.path == ".gitignore"));
}

#[test]
fn a_first_case_that_no_part_would_run_runs_every_time() {
    let fact = |files: MemoryFiles| {
        let (_, files) = begun(files, Start::Adapter);
        let project = loaded(&files).project;
        project.cases.values().any(|case| case.id.as_str() == "says-a-fact" && case.always)
    };
    assert!(fact(MemoryFiles::new().with("a.py", "os.environ['SHOP_URL']")), "a connector forms no answer");
    assert!(!fact(desk()), "a change of the sources runs it");
}

#[test]
fn a_workflow_that_was_named_needs_no_adapter() {
    let (new, files) = begun(desk(), Start::Command(vec!["python3".into(), "run: me.py".into()]));
    let command = loaded(&files).project.file.workflows["order-desk"].command.clone().unwrap();
    assert_eq!(command.run, ["python3", "run: me.py"]);
    assert!(!new.iter().any(|file| file.path.contains("adapter") || file.text.contains(adapter::NOT_JOINED)));
    let (_, files) = begun(desk(), Start::Service("http://127.0.0.1:9/x".into()));
    assert!(loaded(&files).project.file.workflows["order-desk"].http.is_some());
    let text = String::from_utf8(files.read("holdpoint.yaml").unwrap()).unwrap();
    let started = text.replace("      # start:", "      start:").replace("      # ready:", "      ready:");
    let project = loaded(&files.with("holdpoint.yaml", started)).project;
    let http = project.file.workflows["order-desk"].http.clone().unwrap();
    assert!(!http.start.is_empty() && http.ready.is_some(), "what stands in comments can be switched on");
}

#[test]
fn an_address_on_this_machine_that_the_code_falls_back_on_is_written_down() {
    let connectors = |line: &str| {
        let (new, files) = begun(MemoryFiles::new().with("a.py", line), Start::Adapter);
        let shown = new[0].text.lines().find(|line| line.starts_with("#   shop")).unwrap().to_owned();
        let switched_on =
            new[0].text.replace("# connectors:", "connectors:").replace("#   shop", "  shop").replace("PORT", "80");
        let manifest = new.iter().find(|file| file.path == "manifests/shop.yaml").unwrap();
        let described = manifest.text.replace("    # wire:", "    wire:");
        loaded(&files.with("holdpoint.yaml", switched_on).with("manifests/shop.yaml", described));
        shown
    };
    let with = |upstream: &str| format!("#   shop: {{env: [SHOP_URL], upstream: {{url: {upstream}}}");
    assert_eq!(
        connectors("os.environ.get('SHOP_URL', 'http://localhost:9311/v2/')"),
        with("\"http://localhost:9311\"") + ", base_path: \"/v2\"}"
    );
    assert_eq!(
        connectors("os.getenv(\"SHOP_URL\", \"http://127.0.0.1:9311\")"),
        with("\"http://127.0.0.1:9311\"") + "}"
    );
    let unknown = with("\"http://127.0.0.1:PORT\"") + "}";
    assert_eq!(connectors("os.environ['SHOP_URL']"), unknown);
    assert_eq!(connectors("os.getenv('SHOP_URL', 'https://api.example.com')"), unknown, "real work may depend on it");
}

#[test]
fn an_empty_repository_gets_a_project_without_parts() {
    let (new, files) = begun(MemoryFiles::new(), Start::Adapter);
    assert!(loaded(&files).project.parts.is_empty());
    assert!(new.iter().any(|file| file.path == "holdpoint_adapter.sh"));
}

#[test]
fn a_gitignore_that_stands_there_is_left_alone() {
    let (new, _) = begun(desk().with(".gitignore", "x\n"), Start::Adapter);
    let ignores: Vec<&str> =
        new.iter().map(|file| file.path.as_str()).filter(|path| path.ends_with(".gitignore")).collect();
    assert_eq!(ignores, [".holdpoint/.gitignore", "reports/.gitignore"]);
}

#[test]
fn many_documents_of_a_folder_are_one_part() {
    let files = (0..30).fold(MemoryFiles::new(), |files, number| files.with(&format!("kb/{number}.md"), "x"));
    let project = loaded(&begun(files, Start::Adapter).1).project;
    assert_eq!(project.parts.len(), 1);
    assert_eq!(project.parts.values().next().unwrap().files.len(), 30);
}

#[test]
fn a_project_below_the_root_is_named_in_the_ci_file() {
    let found = Found::default();
    for (system, expected) in [
        (CiSystem::Github, "project: \"it's/desk\""),
        (CiSystem::Gitlab, "HOLDPOINT_PROJECT: \"it's/desk\""),
        (CiSystem::Script, r"--project 'it'\''s/desk' gate"),
    ] {
        let proposal = Proposal { below: "it's/desk", ci: Some(system), ..proposal(&found, Start::Adapter) };
        let files = propose(&proposal);
        let file = files.iter().find(|file| file.at_repository_root).unwrap();
        assert!(file.text.contains(expected), "{}", file.text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever files and lines a repository has, what is written for it is a project that passes the check.
    #[test]
    fn any_repository_gets_a_project_that_passes_the_check(
        names in proptest::collection::vec(
            ("(prompts|policies|tools|src|kb/é|\\.x)/", "[a-zA-Z0-9 _.'\"#:{}*-]{1,12}", "(md|py|json|txt|yaml)"), 0..12),
        text in "(\\PC|\n){0,60}",
        name in "\\PC{0,20}",
    ) {
        let mut files = MemoryFiles::new();
        for (folder, name, ending) in &names {
            let lines = format!("{text}\nmodel = \"m-4{name}\"\nos.environ[\"A_{}_URL\"]\n", name.len());
            files = files.with(&format!("{folder}{name}.{ending}"), lines);
        }
        let found = look_at(&files);
        let proposal = Proposal { name: &name, ..proposal(&found, Start::Adapter) };
        for file in propose(&proposal) {
            files = files.with(&file.path, &file.text);
        }
        let checked = load_project(&files, &BTreeMap::new());
        prop_assert!(checked.is_ok(), "{:#?}", checked.err());
    }
}
