//! Kinds of part and rules of a project's own.

use super::*;

const DECLARED: &str = "\
risks: [tone]
kinds:
  guardrail:
    description: A filter in front of the model.
    schema:
      properties:
        threshold: {type: number, minimum: 0, maximum: 1}
        words: {type: array, items: {type: string}}
      required: [threshold]
      additionalProperties: false
  glossary: {}
rules:
  - {kind: guardrail, risks: [injected_instructions]}
  - {kind: guardrail, facet: words, risks: [tone]}
  - {kind: glossary, facet: files, risks: [policy_accuracy], because: It is quoted.}
";

const GUARDRAIL: &str = "\
id: filter
kind: guardrail
version: \"1\"
description: Refuses what is rude.
threshold: 0.5
words: [lamp]
files: [policies/returns.md]
";

/// The project with these declarations and this manifest.
fn declared(declarations: &str, manifest: &str) -> MemoryFiles {
    with("holdpoint.yaml", format!("{PROJECT}{declarations}")).with("manifests/filter.yaml", manifest)
}

/// Fails unless the declarations, with one text in place of another, are refused so.
#[track_caller]
fn assert_declaration(from: &str, to: &str, expected: &str) {
    assert!(DECLARED.contains(from), "{from}");
    let shown = problems(&declared(&DECLARED.replacen(from, to, 1), GUARDRAIL)).join("\n");
    assert_eq!(shown.lines().take(2).collect::<Vec<_>>().join("\n"), format!("holdpoint.yaml:{expected}"));
}

#[test]
fn a_manifest_of_a_declared_kind_is_a_part_with_its_facets_and_files() {
    let loaded = load_project(&declared(DECLARED, GUARDRAIL), &BTreeMap::new()).unwrap();
    let part = &loaded.project.parts[&PartId::from("filter")];
    assert_eq!(part.kind.name(), "guardrail");
    assert_eq!(part.document["threshold"], 0.5);
    assert_eq!(part.files.keys().collect::<Vec<_>>(), ["policies/returns.md"]);
    assert!(matches!(part.manifest(), Ok(crate::manifest::Manifest::Own(_))));
    let warnings: Vec<&str> = loaded.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(warnings, ["no workflow uses the part `filter`"], "each kind has a rule");
}

#[test]
fn a_kind_without_a_rule_is_warned_of() {
    let bare = DECLARED.split("rules:").next().unwrap();
    let loaded = load_project(&declared(bare, GUARDRAIL), &BTreeMap::new()).unwrap();
    let said =
        |kind: &str| loaded.warnings.iter().any(|warning| warning.message.contains(&format!("`{kind}` puts at risk")));
    assert!(said("guardrail") && said("glossary"), "{:?}", loaded.warnings);
}

#[test]
fn a_manifest_that_does_not_fit_its_kind_is_refused_with_its_place_and_the_nearest_key() {
    for (from, to, expected) in [
        (
            "threshold: 0.5",
            "treshold: 0.5",
            "filter.yaml:1:1 the key `threshold` is missing\nmanifests/filter.yaml:5:1 unknown key `treshold`\n  did you mean `threshold`?",
        ),
        ("threshold: 0.5", "threshold: 2", "filter.yaml:5:12 expected at most 1, found 2"),
        ("files:", "fiels:", "filter.yaml:7:1 unknown key `fiels`\n  did you mean `files`?"),
        (
            "version: \"1\"\n",
            "",
            "filter.yaml:1:1 the key `version` is missing\n  `version`: The version, raised with every change",
        ),
        (
            "[policies/returns.md]",
            "[policies/return.md]",
            "filter.yaml:7:9 `policies/return.md` does not exist\n  did you mean `policies/returns.md`?",
        ),
        (
            "kind: guardrail",
            "kind: guardrial",
            "filter.yaml:2:7 `guardrial` is no kind of manifest\n  did you mean `guardrail`?",
        ),
    ] {
        let shown = problems(&declared(DECLARED, &GUARDRAIL.replacen(from, to, 1))).join("\n");
        assert_eq!(shown, format!("manifests/{expected}"));
    }
}

#[test]
fn a_slip_in_the_project_file_is_no_slip_of_the_manifests_whose_kinds_it_declares() {
    for (from, to) in [
        ("because: It", "becuase: It"),
        ("risks: [tone]}", "risks: []}"),
        ("  glossary: {}", "  glossary: {shcema: {}}"),
        ("description: A filter", "descripton: A filter"),
    ] {
        assert!(DECLARED.contains(from), "{from}");
        let shown = problems(&declared(&DECLARED.replacen(from, to, 1), GUARDRAIL));
        assert!(!shown.is_empty() && shown.iter().all(|one| one.starts_with("holdpoint.yaml:")), "{to}: {shown:?}");
    }
    let both = declared(&DECLARED.replacen("because: It", "becuase: It", 1), &GUARDRAIL.replace("0.5", "2"));
    assert!(
        problems(&both).iter().any(|one| one.contains("expected at most 1, found 2")),
        "its own schema still holds"
    );
}

#[test]
fn a_declaration_with_a_fault_is_refused_where_it_stands() {
    let other = "  glossary: {}";
    assert_declaration(
        other,
        "  tool: {}",
        "26:3 the kind `tool` is built in\n  leave it out; `rules` can say more of it",
    );
    for (from, to, expected) in [
        (other, "  code: {}", "`code` is what another change is called"),
        (other, "  Glossary: {}", "`Glossary` is no name of a kind"),
        (other, "  glossary: {shcema: {}}", "did you mean `schema`?"),
        (other, "  glossary: {schema: {requried: [a]}}", "did you mean `required`?"),
        (other, "  glossary: {schema: {type: list}}", "this is no JSON Schema"),
        (other, "  glossary: {schema: {type: array}}", "its schema's type is `object`"),
        (other, "  glossary: {schema: {properties: {files: {}}}}", "every manifest has `files` already"),
        ("kind: glossary", "kind: glosary", "did you mean `glossary`?"),
        ("kind: glossary", "kind: project", "rules speak of parts"),
        ("kind: glossary", "kind: lexicon", "declare it under `kinds`"),
        ("[tone]}", "[tnoe]}", "did you mean `tone`?"),
        ("[tone]}", "[]}", "the list is empty"),
        ("facet: words", "facet: word.first", "did you mean `words`?"),
        ("facet: words", "facet: colour", "its facets begin with"),
        ("facet: files", "facet: fiels", "did you mean `files`?"),
        ("kind: guardrail, facet: words", "kind: prompt, facet: setings.voice", "did you mean `settings`?"),
    ] {
        let shown = problems(&declared(&DECLARED.replacen(from, to, 1), GUARDRAIL));
        let own: Vec<&String> = shown.iter().filter(|line| line.starts_with("holdpoint.yaml:")).collect();
        assert!(own.iter().any(|line| line.contains(expected)), "{to}: {shown:?}");
    }
    let free = DECLARED.replace("facet: files", "facet: tone_of_voice.level");
    assert_eq!(problems(&declared(&free, GUARDRAIL)), [""; 0], "a kind without a schema has any facet");
}

#[test]
fn a_kind_whose_schema_has_a_fault_is_still_a_kind() {
    let broken = DECLARED.replace("type: number", "type: nmuber");
    let shown = problems(&declared(&broken, GUARDRAIL));
    assert_eq!(shown.len(), 1, "the manifest is not blamed for its kind: {shown:?}");
}
