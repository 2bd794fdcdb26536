//! Expectations that mean nothing, and expectations that cannot be read.

use super::*;

/// The problems of a case with this one expectation, written from its first line.
fn with_expectation(expectation: &str) -> MemoryFiles {
    with_case(format!("{}  - {expectation}\n", odd_case("desk")))
}

/// A case up to and with the key `expect`.
fn odd_case(workflow: &str) -> String {
    format!("id: odd\ntitle: Odd\nworkflow: {workflow}\ninput: {{}}\nexpect:\n")
}

/// Fails unless the expectation is refused, shown from the line and column in its file.
#[track_caller]
fn assert_refused(expectation: &str, expected: &str) {
    let prefix = "cases/action/odd.yaml:";
    let shown: Vec<String> =
        problems(&with_expectation(expectation)).iter().map(|line| line.replacen(prefix, "", 1)).collect();
    assert_eq!(shown.join("\n"), expected, "{expectation}");
}

#[test]
fn every_kind_of_expectation_is_taken_in_its_plain_form() {
    for expectation in [
        "equals: thirty days",
        "equals: null",
        "equals: {answer: [1, null]}",
        "contains: thirty",
        "contains: [thirty, days]",
        "contains: {all: [a], any: [b], none: [c], ignore_case: true}",
        "regex: ^[0-9]+ days$",
        "regex: {pattern: 'a*', count: 3}",
        "regex: ^$",
        "regex: '^[^X]*$'",
        "regex: '(?s)^.{0,400}$'",
        "json: {path: $.a}",
        "json: {path: $.a, equals: null}",
        "json: {path: $.a, exists: false}",
        "json: {path: '$.a[?@.b > 1]', above: 1, at_most: 1.5, count: 2}",
        "json: {path: $.a, type: string, matches: ^x}",
        "json_schema: {schema: {type: object, required: [answer]}}",
        "json_schema: {schema: {$ref: '#/$defs/a', $defs: {a: {type: string}}}, path: $.a}",
        "similar: {to: thirty days, at_least: 0.8}",
        "number: {is: 30, tolerance: 0.5, path: $.days}",
        "length: {of: words, at_least: 1, at_most: 80}",
        "length: {at_least: 1}",
        "duration: {at_most_ms: 500}",
        "cites: {}",
        "cites: {source: policy}",
        "effects: {probe: review_queue, where: {operation: op-1}, count: 0}",
        "effects: {probe: review_queue, at_most: 0}",
        "outcome: {operation: op-1, is: replayed}",
        "claim: matches_evidence",
        "claim: {operation: op-1, is: held}",
        "command: {run: [python3, judge.py]}",
        "not: {contains: ten days}",
        "not: {not: {equals: a}}",
    ] {
        assert_refused(expectation, "");
    }
}

#[test]
fn an_expectation_that_no_answer_can_fail_is_an_error() {
    assert_refused("contains: []", "6:15 `contains` names no text, so no answer can fail it\n  name at least one text");
    assert_refused(
        "contains: ''",
        "6:15 every answer contains the empty text\n  \
         name a text, or use `equals: \"\"` for an empty answer",
    );
    assert_refused(
        "contains: [a, '']",
        "6:19 every answer contains the empty text\n  \
         name a text, or use `equals: \"\"` for an empty answer",
    );
    assert_refused(
        "contains: ['']",
        "6:15 every answer contains the empty text\n  \
         name a text, or use `equals: \"\"` for an empty answer",
    );
    assert_refused("contains: {}", "6:15 `contains` names no text, so no answer can fail it\n  name at least one text");
    assert_refused(
        "contains: {ignore_case: true}",
        "6:15 `contains` names no text, so no answer can fail it\n  name at least one text",
    );
    assert_refused(
        "contains: {none: ['']}",
        "6:23 every answer contains the empty text\n  \
         name a text, or use `equals: \"\"` for an empty answer",
    );
    assert_refused("regex: ''", "6:12 the empty pattern is found in every text\n  write a pattern");
    assert_refused(
        "regex: 'a*'",
        "6:12 the pattern `a*` is found in every text, so no answer can fail it\n  \
         write a pattern that needs at least one character",
    );
    assert_refused(
        "regex: {pattern: .*}",
        "6:22 the pattern `.*` is found in every text, so no answer can fail it\n  \
         write a pattern that needs at least one character",
    );
    assert_refused(
        "regex: '^'",
        "6:12 the pattern `^` is found in every text, so no answer can fail it\n  \
         write a pattern that needs at least one character",
    );
    assert_refused(
        "regex: '[\\s\\S]*'",
        "6:12 the pattern `[\\s\\S]*` is found in every text, so no answer can fail it\n  \
         write a pattern that needs at least one character",
    );
    assert_refused(
        "json: {path: $.a, contains: ''}",
        "6:33 every text contains the empty text\n  to ask for any text, write `type: string`",
    );
    assert_refused(
        "json: {path: $.a, matches: 'b?'}",
        "6:32 the pattern is found in every text\n  to ask for any text, write `type: string`",
    );
    assert_refused(
        "json_schema: {schema: {}}",
        "6:27 the schema accepts every value, so no answer can fail it\n  \
         say what the answer must have",
    );
    assert_refused(
        "json_schema: {schema: {title: Answer, properties: {a: {}}}}",
        "6:27 the schema accepts every value, so no answer can fail it\n  \
         say what the answer must have",
    );
    assert_refused(
        "similar: {to: ' ', at_least: 0.5}",
        "6:19 the text to compare with is empty\n  write the text that is expected",
    );
    assert_refused(
        "similar: {to: a, at_least: 0}",
        "6:32 expected at least 0.000001, found 0\n  The least ratio, above 0 and at most 1",
    );
    assert_refused(
        "number: {is: 1, tolerance: .inf}",
        "6:32 `.inf` is no finite number\n  quote it where a text is meant",
    );
    assert_refused(
        "number: {is: 1, tolerance: -1}",
        "6:32 expected at least 0, found -1\n  How far it may be off, in the number's own unit",
    );
    assert_refused("length: {}", "6:13 every answer has such a length\n  give `at_most`, or `at_least` of 1 or more");
    assert_refused(
        "length: {at_least: 0}",
        "6:13 every answer has such a length\n  give `at_most`, or `at_least` of 1 or more",
    );
    assert_refused(
        "effects: {probe: review_queue}",
        "6:14 every number of effects passes\n  give `count`, `at_most`, or `at_least` of 1 or more",
    );
    assert_refused(
        "effects: {probe: review_queue, at_least: 0}",
        "6:14 every number of effects passes\n  give `count`, `at_most`, or `at_least` of 1 or more",
    );
    assert_refused(
        "outcome: {operation: '', is: committed}",
        "6:26 the operation's name is empty\n  name the operation as the workflow does",
    );
}

#[test]
fn an_expectation_that_no_answer_can_pass_is_an_error_for_not_may_stand_before_it() {
    assert_refused(
        "not: {length: {}}",
        "6:19 every answer has such a length\n  give `at_most`, or `at_least` of 1 or more",
    );
    assert_refused(
        "not: {not: {contains: ''}}",
        "6:27 every answer contains the empty text\n  \
         name a text, or use `equals: \"\"` for an empty answer",
    );
    assert_refused(
        "length: {at_least: 9, at_most: 8}",
        "6:13 no length is at least 9 and at most 8\n  exchange the two",
    );
    assert_refused(
        "effects: {probe: review_queue, count: 2, at_most: 1}",
        "6:14 no number of effects passes\n  remove one of the bounds",
    );
    assert_refused(
        "effects: {probe: review_queue, at_least: 2, at_most: 1}",
        "6:14 no number of effects passes\n  remove one of the bounds",
    );
    assert_refused(
        "contains: {all: [thirty days], none: [days]}",
        "6:15 the text \"days\" must occur and must not, so no answer can pass\n  \
         remove it from `all` or from `none`",
    );
    assert_refused("json: {path: $.a, one_of: []}", "6:31 no value is one of none\n  name the values that are allowed");
    assert_refused(
        "json: {path: $.a, exists: false, equals: 1}",
        "6:11 no value can pass: nothing may be found, and what is found is compared\n  \
         remove one of the two",
    );
    assert_refused(
        "json: {path: $.a, exists: false, count: 1}",
        "6:11 no value can pass: nothing may be found, and something must be\n  \
         remove one of the two",
    );
    assert_refused(
        "json: {path: $.a, exists: true, count: 0}",
        "6:11 no value can pass: something must be found, and nothing may be\n  \
         remove one of the two",
    );
    assert_refused(
        "json: {path: $.a, above: 1, matches: b}",
        "6:11 no value can pass: it would have to be a number and something else\n  \
         remove one of the two",
    );
    assert_refused(
        "json: {path: $.a, contains: b, type: number}",
        "6:11 no value can pass: it would have to be a text and something else\n  \
         remove one of the two",
    );
    assert_refused(
        "json: {path: $.a, above: 1, below: 1}",
        "6:11 no value can pass: the lower bound leaves nothing below the upper one\n  \
         remove one of the two",
    );
    assert_refused(
        "json: {path: $.a, at_least: 2, at_most: 1}",
        "6:11 no value can pass: the lower bound leaves nothing below the upper one\n  \
         remove one of the two",
    );
    assert_refused(
        "json: {path: $.a, at_least: 1, below: 1}",
        "6:11 no value can pass: the lower bound leaves nothing below the upper one\n  \
         remove one of the two",
    );
}

#[test]
fn what_cannot_be_read_is_found_before_anything_runs() {
    assert_refused(
        "regex: '('",
        "6:12 this is no regular expression: unclosed group\n  \
         the syntax is that of Rust's regex crate, without look-around and back-references",
    );
    assert_refused(
        "regex: {pattern: '(?=a)'}",
        "6:22 this is no regular expression: look-around, including look-ahead and look-behind, is not supported\n  \
         the syntax is that of Rust's regex crate, without look-around and back-references",
    );
    assert_refused(
        "regex: '(a{1000}){1000}'",
        "6:12 this is no regular expression: it needs more than 10485760 bytes when compiled\n  \
         the syntax is that of Rust's regex crate, without look-around and back-references",
    );
    assert_refused(
        "json: {path: answer}",
        "6:18 `answer` is no JSONPath: it cannot be read from character 1 on\n  \
         a path begins with `$`, as in `$.receipt.operation` (RFC 9535)",
    );
    assert_refused(
        "json: {path: '$['}",
        "6:18 `$[` is no JSONPath: it cannot be read from character 2 on\n  \
         a path begins with `$`, as in `$.receipt.operation` (RFC 9535)",
    );
    assert_refused(
        "json: {path: $.a, matches: '['}",
        "6:32 this is no regular expression: unclosed character class\n  \
         the syntax is that of Rust's regex crate, without look-around and back-references",
    );
    assert_refused(
        "number: {path: days, is: 1}",
        "6:20 `days` is no JSONPath: it cannot be read from character 1 on\n  \
         a path begins with `$`, as in `$.receipt.operation` (RFC 9535)",
    );
    assert_refused(
        "cites: {path: citations}",
        "6:19 `citations` is no JSONPath: it cannot be read from character 1 on\n  \
         a path begins with `$`, as in `$.receipt.operation` (RFC 9535)",
    );
    assert_refused(
        "json_schema: {schema: {type: object}, path: a}",
        "6:49 `a` is no JSONPath: it cannot be read from character 1 on\n  \
         a path begins with `$`, as in `$.receipt.operation` (RFC 9535)",
    );
    assert_refused(
        "json_schema: {schema: {type: objekt}}",
        "6:34 this is no JSON Schema: \"objekt\" is not allowed here\n  \
         it is read as draft 2020-12, and nothing is fetched",
    );
    assert_refused(
        "json_schema: {schema: {requried: [answer]}}",
        "6:28 `requried` is no keyword of JSON Schema\n  did you mean `required`?",
    );
    assert_refused(
        "json_schema: {schema: {$ref: 'https://example.org/answer.json'}}",
        "6:27 this is no JSON Schema: a `$ref` leads nowhere inside the schema\n  \
         it is read as draft 2020-12, and nothing is fetched",
    );
    assert_refused(
        "json_schema: {schema: {$ref: '#/$defs/gone'}}",
        "6:27 this is no JSON Schema: a `$ref` leads nowhere inside the schema\n  \
         it is read as draft 2020-12, and nothing is fetched",
    );
    assert_refused(
        "command: {run: []}",
        "6:20 the list is empty\n  \
         The program and its arguments, started without a shell in the project's folder",
    );
    assert_refused("command: {run: ['']}", "6:21 the program's name is empty\n  name a program");
    assert_refused(
        r#"command: {run: [a, "b\0"]}"#,
        "6:24 an argument holds a NUL character\n  no program can be given one",
    );
}

#[test]
fn a_form_that_the_schema_does_not_know_is_explained() {
    assert_refused("contians: a", "6:5 unknown key `contians`\n  did you mean `contains`?");
    assert_refused(
        "banana: a",
        "6:5 unknown key `banana`\n  \
         the keys here are not, equals, contains, regex, json, json_schema, similar, number, length, duration, cites, effects, outcome, claim, \
         attempts, backoff, retry_after, no_retry, identity, parameters, order, depends, permitted_calls, retry_layers, \
         contract, http_status, command and placeholder",
    );
    assert_refused(
        "{}",
        "6:5 expected exactly one key, found none\n  \
         the keys here are not, equals, contains, regex, json, json_schema, similar, number, length, duration, cites, effects, outcome, claim, \
         attempts, backoff, retry_after, no_retry, identity, parameters, order, depends, permitted_calls, retry_layers, \
         contract, http_status, command and placeholder",
    );
    assert_refused(
        "{contains: a, regex: b}",
        "6:19 expected exactly one key, found `contains` and `regex`\n  \
         the keys here are not, equals, contains, regex, json, json_schema, similar, number, length, duration, cites, effects, outcome, claim, \
         attempts, backoff, retry_after, no_retry, identity, parameters, order, depends, permitted_calls, retry_layers, \
         contract, http_status, command and placeholder",
    );
    assert_refused(
        "contains:",
        "6:13 expected a text, a list or a map, found nothing\n  \
         leave the key out, or give it a value",
    );
    assert_refused("cites:", "6:10 expected a map, found nothing\n  leave the key out, or give it a value");
    assert_refused("contains: 30", "6:15 expected a text, a list or a map, found the number 30\n  quote it: \"30\"");
    assert_refused("contains: [thirty, 30]", "6:24 expected a text, found the number 30\n  quote it: \"30\"");
    assert_refused("contains: {al: [a]}", "6:16 unknown key `al`\n  did you mean `all`?");
    assert_refused("contains: {all: a}", "6:21 expected a list, found a text\n  a list of one: [a]");
    assert_refused(
        "regex: [a]",
        "6:12 expected a text or a map, found a list\n  \
         `regex`: the pattern alone, or the full form",
    );
    assert_refused("claim: matches", "6:12 expected `matches_evidence`, found `matches`");
    assert_refused("claim: 1", "6:12 expected a text or a map, found the number 1\n  quote it: \"1\"");
    assert_refused(
        "claim: {operation: a, is: done}",
        "6:31 expected `completed`, `rejected`, `failed`, `unknown` or `held`, found `done`",
    );
    assert_refused(
        "outcome: {operation: a, is: commited}",
        "6:33 expected `not_started`, `rejected`, `not_committed`, `committed`, `replayed`, `duplicated`, `mismatched` or `uncertain`, found `commited`\n  \
         did you mean `committed`?",
    );
    assert_refused("outcome: {is: committed}", "6:14 the key `operation` is missing\n  `operation`: The operation");
    assert_refused(
        "json: {path: $.a, type: text}",
        "6:29 expected `null`, `boolean`, `number`, `string`, `array` or `object`, found `text`",
    );
    assert_refused("length: {of: bytes, at_least: 1}", "6:18 expected `characters`, `words` or `lines`, found `bytes`");
    assert_refused("length: {at_least: 1.0}", "6:24 expected a whole number without a decimal point\n  write 1");
    assert_refused("length: {at_least: -1}", "6:24 expected at least 0, found -1\n  The least");
    assert_refused(
        "similar: {to: a, at_least: 1.5}",
        "6:32 expected at most 1, found 1.5\n  The least ratio, above 0 and at most 1",
    );
    assert_refused("duration: {at_most_ms: 0}", "6:28 expected at least 1, found 0\n  Milliseconds at the most");
    assert_refused("http_status: {is: 99}", "6:23 expected at least 100, found 99\n  The status code");
    assert_refused("http_status: {is: 70000}", "6:23 expected at most 599, found 70000\n  The status code");
    assert_refused("json_schema: {schema: true}", "6:27 expected a map, found the truth value true\n  The schema");
    assert_refused(
        "not: contains",
        "6:10 expected a map, found a text\n  \
         One expectation: exactly one of its fields, which names the grader that judges it",
    );
    assert_refused(
        "contains thirty days",
        "6:5 expected a map, found a text\n  \
         One expectation: exactly one of its fields, which names the grader that judges it",
    );
}

#[test]
fn what_an_expectation_refers_to_must_exist() {
    assert_refused(
        "effects: {probe: reviewqueue, count: 1}",
        "6:22 the project file has no probe `reviewqueue`\n  did you mean `review_queue`?",
    );
    assert_refused(
        "not: {effects: {probe: mail, count: 1}}",
        "6:28 the project file has no probe `mail`\n  the project's probes: review_queue",
    );
    assert_refused("cites: {source: polcy}", "6:21 no manifest has the id `polcy`\n  did you mean `policy`?");
    assert_refused(
        "cites: {source: review}",
        "6:21 expected a manifest of kind source, and `review` is of kind connector\n  \
         it stands in `manifests/review.yaml`",
    );
    assert_refused(
        "http_status: {is: 404}",
        "6:5 only an http workflow answers with a status\n  \
         take the expectation out, or run the case against an http workflow",
    );
    let remote = with_case(format!("{}  - http_status: {{is: 404}}\n", odd_case("remote")));
    assert_eq!(problems(&remote), Vec::<String>::new());
}
