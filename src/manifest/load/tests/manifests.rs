//! Manifests: their fields, and the files and manifests that they name.

use super::*;

/// Fails unless the valid project with this manifest has these problems, shown from the place in its file.
#[track_caller]
fn assert_refused(path: &str, content: &str, expected: &str) {
    let shown: Vec<String> =
        problems(&with(path, content)).iter().map(|line| line.replacen(&format!("{path}:"), "", 1)).collect();
    assert_eq!(shown.join("\n"), expected);
}

#[track_caller]
fn assert_odd(content: &str, expected: &str) {
    assert_refused("manifests/odd.yaml", content, expected);
}

#[test]
fn a_manifest_says_of_what_kind_it_is() {
    assert_odd(
        "id: odd\nversion: '1'\n",
        "1:1 the key `kind` is missing\n  \
         the kinds are model, prompt, source, permissions, connector and tool",
    );
    assert_odd("id: odd\nkind: modle\nversion: '1'\n", "2:7 `modle` is no kind of manifest\n  did you mean `model`?");
    assert_odd(
        "id: odd\nkind: workflow\nversion: '1'\n",
        "2:7 `workflow` is no kind of manifest\n  \
         the kinds are model, prompt, source, permissions, connector and tool; one of your own is declared under `kinds` in \
         holdpoint.yaml",
    );
    assert_odd(
        "id: odd\nkind: 1\nversion: '1'\n",
        "2:7 the kind of a manifest is a text\n  \
         the kinds are model, prompt, source, permissions, connector and tool",
    );
    assert_odd("- id: odd\n", "1:1 a manifest is a map\n  `holdpoint schema` prints what it can hold");
}

#[test]
fn fields_are_those_of_the_kind() {
    assert_odd(
        "id: odd\nkind: model\nversion: 1.10\nprovider: a\nname: b\n",
        "3:10 expected a text, found the number 1.10\n  quote it: \"1.10\"",
    );
    assert_odd(
        "id: odd\nkind: model\nversion: ''\nprovider: a\nname: b\n",
        "3:10 the version is empty\n  as in `1.0.0`",
    );
    assert_odd(
        "id: odd\nkind: model\nversion: '1'\nprovider: a\nname: b\nsampling: {temperature: 3}\n",
        "6:25 expected at most 2, found 3\n  The temperature",
    );
    assert_odd(
        "id: odd\nkind: model\nversion: '1'\nprovider: a\nname: b\nsampling: {temprature: 1}\n",
        "6:12 unknown key `temprature`\n  did you mean `temperature`?",
    );
    assert_odd(
        "id: odd\nkind: model\nversion: '1'\nprovider: a\nname: b\nfiles: [a]\n",
        "6:1 unknown key `files`\n  \
         the keys here are id, kind, version, description, settings, provider, name, snapshot, sampling and limits",
    );
    assert_odd(
        "id: odd\nkind: prompt\nversion: '1'\nfiles: []\n",
        "4:8 the list is empty\n  \
         The files that hold the prompt's text, relative to the project's folder, in the order in which they are used",
    );
    assert_odd(
        "id: odd\nkind: connector\nversion: '1'\nrelease: '1'\noperations: {}\n",
        "5:13 the map is empty\n  What can be asked of it, by name",
    );
    assert_odd(
        "id: odd\nkind: connector\nversion: '1'\nrelease: '1'\noperations: {go: {}}\n",
        "5:18 the key `effect` is missing\n  `effect`: What it leaves behind in the target",
    );
    assert_odd(
        "id: odd\nkind: connector\nversion: '1'\nrelease: '1'\noperations: {go: {effect: none, retry: {attempts: 0, on: [timeouts]}}}\n",
        "5:51 expected at least 1, found 0\n  \
         How often it tries in all; 1 means no retry\n\
         5:59 expected `connect_failed`, `connection_lost`, `timeout`, `in_flight`, `rate_limited` or `server_error`, found `timeouts`\n  \
         did you mean `timeout`?",
    );
    assert_odd(
        "id: odd\nkind: connector\nversion: '1'\nrelease: '1'\noperations: {go: {effect: none, idempotency: {replay_signal: {}}}}\n",
        "5:62 expected exactly one key, found none\n  the keys here are header and field",
    );
}

#[test]
fn sources_name_files_and_days() {
    let source = |rest: &str| format!("id: odd\nkind: source\nversion: '1'\n{rest}");
    assert_odd(&source(""), "1:1 the source names no file\n  name files under `files`, or globs under `globs`");
    assert_odd(
        &source("files: [policies/returns.md, policies/returns.md]\n"),
        "4:30 `policies/returns.md` is named twice",
    );
    assert_odd(
        &source("files: [policies/return.md]\n"),
        "4:9 `policies/return.md` does not exist\n  did you mean `policies/returns.md`?",
    );
    assert_odd(
        &source("files: [../policies/returns.md]\n"),
        "4:9 the path `../policies/returns.md` goes up with `..`\n  \
         a path never leaves the folder it starts from",
    );
    assert_odd(&source("files: [policies]\n"), "4:9 `policies` is a folder, and a file is needed\n  name each file");
    assert_odd(
        &source("globs: ['policies/*.txt']\n"),
        "4:9 the glob `policies/*.txt` matches no file\n  \
         `*` stays within one name, `**` stands for any number of folders",
    );
    assert_odd(
        &source("globs: ['policies/[']\n"),
        "4:9 `policies/[` is no glob: unclosed character class; missing ']'",
    );
    assert_odd(
        &source("globs: ['../**']\n"),
        "4:9 the glob `../**` goes up with `..`\n  a path never leaves the folder it starts from",
    );
    assert_odd(
        &source("globs: [/etc/*]\n"),
        "4:9 the glob `/etc/*` is absolute and leaves the project\n  \
         write it relative to the project's folder, with `/` between names",
    );
    assert_odd(
        &source("files: [policies/returns.md]\neffective: 2026-02-30\n"),
        "5:12 `2026-02-30` is no date\n  write it as in `2026-03-02`",
    );
    assert_odd(
        &source("files: [policies/returns.md]\neffective: 20260301\n"),
        "5:12 expected a text, found the number 20260301\n  quote it: \"20260301\"",
    );
    assert_odd(
        &source("files: [policies/returns.md]\neffective: 2026-03-02\nexpires: 2026-03-01\n"),
        "6:10 the source expires before it takes effect",
    );
    assert_odd(
        &source("files: [policies/returns.md]\nauthority: highest\n"),
        "5:12 expected `primary`, `secondary` or `reference`, found `highest`",
    );
}

#[test]
fn a_glob_does_not_lead_through_a_link() {
    let files = with("manifests/odd.yaml", "id: odd\nkind: source\nversion: '1'\nglobs: ['policies/*']\n")
        .with_entry("policies/linked.md", EntryKind::Symlink);
    let text = problems(&files).join("\n");
    assert_eq!(
        text,
        "manifests/odd.yaml:4:9 `policies/linked.md` is a symbolic link, and links are not followed\n  \
         put the file itself there\n\
         manifests/policy.yml:4:9 `policies/linked.md` is a symbolic link, and links are not followed\n  \
         put the file itself there"
    );
}

#[test]
fn permissions_name_their_own_actions_and_approvers() {
    let permissions = |rest: &str| format!("id: odd\nkind: permissions\nversion: '1'\n{rest}");
    assert_odd(
        &permissions("actors: {clerk: {actions: [stge]}}\nactions: {stage: {}}\n"),
        "4:28 there is no action `stge`\n  did you mean `stage`?",
    );
    assert_odd(
        &permissions("actors: {clerk: {sources: [polcy]}}\n"),
        "4:28 no manifest has the id `polcy`\n  did you mean `policy`?",
    );
    assert_odd(
        &permissions("actors: {clerk: {}}\nactions: {stage: {needs_approval: true}}\n"),
        "5:11 nobody can approve the action `stage`\n  name actors or roles under `approvers`",
    );
    assert_odd(
        &permissions("actors: {clerk: {}}\nactions: {stage: {approvers: [lead]}}\n"),
        "5:31 `lead` is neither an actor nor a role of one\n  \
         the manifest's actors and roles: clerk",
    );
    let by_role =
        permissions("actors: {ana: {roles: [lead]}}\nactions: {stage: {needs_approval: true, approvers: [lead]}}\n");
    assert_odd(&by_role, "");
}

#[test]
fn a_tool_has_a_schema_and_calls_what_exists() {
    let tool = |rest: &str| format!("id: odd\nkind: tool\nversion: '1'\n{rest}");
    assert_odd(
        &tool("schema: {type: objekt}\n"),
        "4:16 this is no JSON Schema: \"objekt\" is not allowed here\n  \
         it is read as draft 2020-12, and nothing is fetched",
    );
    assert_odd(
        &tool("schema: {type: object}\noperation: stage\n"),
        "5:1 an operation needs its connector\n  name the connector under `connector`",
    );
    assert_odd(
        &tool("schema: {type: object}\nconnector: revew\n"),
        "5:12 no manifest has the id `revew`\n  did you mean `review`?",
    );
    assert_odd(
        &tool("schema: {type: object}\nconnector: policy\n"),
        "5:12 expected a manifest of kind connector, and `policy` is of kind source\n  \
         it stands in `manifests/policy.yml`",
    );
    assert_odd(
        &tool("schema: {type: object}\nconnector: review\noperation: unstage\n"),
        "6:12 the connector `review` has no operation `unstage`\n  its operations: stage",
    );
}

#[test]
fn part_ids_never_collide() {
    assert_odd(
        "id: Drafter\nkind: model\nversion: '1'\nprovider: a\nname: b\n",
        "1:5 the part id `Drafter` differs only in letter case from `drafter` in `manifests/drafter.yaml` line 1\n  \
         an id is unique in the project: choose another",
    );
    assert_odd(
        "id: drafter\nkind: model\nversion: '1'\nprovider: a\nname: b\n",
        "1:5 the part id `drafter` is already taken in `manifests/drafter.yaml` line 1\n  \
         an id is unique in the project: choose another",
    );
    assert_odd(
        "id: a/b\nkind: model\nversion: '1'\nprovider: a\nname: b\n",
        "1:5 `a/b` is no part id\n  \
         a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit",
    );
}

#[test]
fn a_part_that_no_workflow_uses_is_a_warning() {
    let files = with("manifests/odd.yaml", "id: odd\nkind: model\nversion: '1'\nprovider: a\nname: b\n");
    let warnings = load_project(&files, &BTreeMap::new()).unwrap().warnings;
    assert_eq!(
        warnings.iter().map(shown).collect::<Vec<_>>(),
        ["manifests/odd.yaml:1:5 no workflow uses the part `odd`\n  \
         list it under a workflow's `parts` in holdpoint.yaml, or remove it; until then a change of it counts for every \
         workflow, and can be uncovered"]
    );
    assert_eq!(warnings[0].severity, crate::manifest::Severity::Warning);
}

#[test]
fn a_manifest_that_cannot_be_read_does_not_make_others_wrong() {
    assert_refused("manifests/policy.yml", "id: [policy\n", "1:5 unclosed bracket '['");
    assert_refused(
        "manifests/policy.yml",
        "id: policy\nkind: source\nversion: '1'\n",
        "1:1 the source names no file\n  name files under `files`, or globs under `globs`",
    );
}

#[test]
fn the_fingerprint_covers_manifests_and_their_files_and_nothing_else() {
    let of = |files: MemoryFiles| load_project(&files, &BTreeMap::new()).unwrap().project.fingerprint;
    let base = of(valid());
    assert_eq!(of(with("cases/policy_accuracy/plain.yaml", CASE.replace("thirty", "ten"))), base);
    assert_eq!(of(with("manifests/review.yaml", format!("# words\n{CONNECTOR}"))), base);
    assert_ne!(of(with("policies/returns.md", "Returns within ten days.\n")), base);
    assert_ne!(of(with("policies/new.md", "New.\n")), base);
    assert_ne!(of(with("manifests/review.yaml", CONNECTOR.replace("86400", "3600"))), base);
}

#[test]
fn calls_that_manifests_name_exist() {
    let requires = |calls: &str| with("manifests/review.yaml", format!("{CONNECTOR}    requires: {calls}\n"));
    assert_problem(
        &requires("[review/stag]"),
        "manifests/review.yaml:11:16 the connector `review` has no operation `stag`\n  did you mean `stage`?",
    );
    assert_problem(
        &requires("[stage]"),
        "manifests/review.yaml:11:16 `stage` names no connector's operation\n  \
         write the connector's id, a slash, and its operation, as in `inventory/reserve`",
    );
    assert_problem(
        &requires("[review/stage]"),
        "manifests/review.yaml:11:16 an operation cannot require itself\n  name what must be done before it",
    );
    let permits = |calls: &str| {
        let actions = format!("actions: {{stage: {{calls: {calls}}}}}");
        let head = "id: clerks\nkind: permissions\nversion: 1.0.0\nactors: {clerk: {actions: [stage]}}\n";
        with("manifests/clerks.yaml", format!("{head}{actions}\n"))
    };
    assert_eq!(problems(&permits("[review/stage]")), [""; 0]);
    assert_problem(
        &permits("[review/stage, review/stage]"),
        "manifests/clerks.yaml:5:41 `review/stage` is named twice\n  keep one of the two",
    );
    assert_problem(
        &permits("[policy/stage]"),
        "manifests/clerks.yaml:5:27 expected a manifest of kind connector, and `policy` is of kind source\n  \
         it stands in `manifests/policy.yml`",
    );
}
