//! Every assertion type of promptfoo, and why those without an equal have none.

/// A kind of assertion types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// The form of a text.
    Text,
    /// A measure.
    Measure,
    /// A model judges.
    Model,
    /// A program judges.
    Code,
    /// Spans are looked at.
    Trace,
    /// Several answers, or several assertions, are looked at together; or a person looks.
    Special,
}

/// Each type, and whether it can be turned round by `not-` before it.
pub const ASSERTION_TYPES: &[(&str, bool)] = &[
    ("equals", true),
    ("contains", true),
    ("contains-all", true),
    ("contains-any", true),
    ("contains-html", true),
    ("contains-json", true),
    ("contains-sql", true),
    ("contains-xml", true),
    ("icontains", true),
    ("icontains-all", true),
    ("icontains-any", true),
    ("starts-with", true),
    ("regex", true),
    ("is-html", true),
    ("is-json", true),
    ("is-sql", true),
    ("is-xml", true),
    ("is-refusal", true),
    ("is-valid-function-call", true),
    ("is-valid-openai-function-call", true),
    ("is-valid-openai-tools-call", true),
    ("word-count", true),
    ("finish-reason", true),
    ("guardrails", true),
    ("bleu", true),
    ("gleu", true),
    ("meteor", true),
    ("rouge-n", true),
    ("levenshtein", true),
    ("perplexity", true),
    ("perplexity-score", true),
    ("cost", true),
    ("latency", true),
    ("tool-call-f1", true),
    ("answer-relevance", true),
    ("classifier", true),
    ("context-faithfulness", true),
    ("context-recall", true),
    ("context-relevance", true),
    ("conversation-relevance", true),
    ("factuality", true),
    ("model-graded-factuality", true),
    ("model-graded-closedqa", true),
    ("g-eval", true),
    ("llm-rubric", true),
    ("moderation", true),
    ("pi", true),
    ("search-rubric", true),
    ("similar", true),
    ("similar:cosine", true),
    ("similar:dot", true),
    ("similar:euclidean", true),
    ("agent-rubric", true),
    ("javascript", true),
    ("python", true),
    ("ruby", true),
    ("webhook", true),
    ("skill-used", true),
    ("trajectory:goal-success", true),
    ("trajectory:tool-args-match", true),
    ("trajectory:step-count", true),
    ("trajectory:tool-sequence", true),
    ("trajectory:tool-used", true),
    ("trace-error-spans", true),
    ("trace-span-count", true),
    ("trace-span-duration", true),
    ("select-best", false),
    ("human", false),
    ("max-score", false),
    ("assert-set", false),
];

/// A type as it is written, without `not-`, and whether that stood before it. `None` for a type that nobody knows.
pub(super) fn known(written: &str) -> Option<(&str, bool)> {
    let find = |name: &str| ASSERTION_TYPES.iter().find(|(known, _)| *known == name).copied();
    if let Some((name, _)) = find(written) {
        return Some((name, false));
    }
    let inner = written.strip_prefix("not-")?;
    find(inner).filter(|(_, turns)| *turns).map(|(name, _)| (name, true))
}

/// Why a type has no equal.
pub(super) fn why_none(name: &str) -> &'static str {
    match name {
        "levenshtein" => "an edit distance is measured to a text, and up to a number of edits",
        "cost" => "what an answer costs is not in the answer",
        "contains-json" => {
            "what the other tool takes for JSON is wider than what is looked for here, so that its absence says less"
        }
        "is-json" => "with a schema its opposite fails what is no JSON and what fits alike: say which is meant",
        _ => match family(name) {
            Family::Text => "no expectation here reads this form",
            Family::Measure => "this measure is not taken here",
            Family::Model => {
                "a model judges it: say what must hold in words that can be checked, or write a judging program (`command`)"
            }
            Family::Code => "it is code for another interface: a judging program (`command`) can take its place",
            Family::Trace => {
                "it looks at spans: `order`, `attempts` and `permitted_calls` look at what reached the target"
            }
            Family::Special => "it looks at several answers together, or asks a person",
        },
    }
}

fn family(name: &str) -> Family {
    match name {
        "bleu" | "gleu" | "meteor" | "rouge-n" | "levenshtein" | "perplexity" | "perplexity-score" | "cost"
        | "latency" | "tool-call-f1" => Family::Measure,
        "javascript" | "python" | "ruby" | "webhook" => Family::Code,
        "select-best" | "human" | "max-score" | "assert-set" => Family::Special,
        "skill-used" => Family::Trace,
        name if name.starts_with("trajectory:") || name.starts_with("trace-") => Family::Trace,
        "answer-relevance"
        | "classifier"
        | "context-faithfulness"
        | "context-recall"
        | "context-relevance"
        | "conversation-relevance"
        | "factuality"
        | "model-graded-factuality"
        | "model-graded-closedqa"
        | "g-eval"
        | "llm-rubric"
        | "moderation"
        | "pi"
        | "search-rubric"
        | "agent-rubric" => Family::Model,
        name if name.starts_with("similar") => Family::Model,
        _ => Family::Text,
    }
}
