//! An old and a new answer side by side, with the words marked that differ.

use std::time::Duration;

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::payload::Cap;
use super::visible::{capped, left_out_text, visible};

/// One piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Segment {
    /// The text, made visible, not escaped for any format.
    pub(super) text: String,
    /// Whether only this side has it.
    pub(super) marked: bool,
}

/// One text on one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct SideText {
    /// The text in pieces.
    pub(super) segments: Vec<Segment>,
    /// How much of it was left out.
    pub(super) left_out: Option<String>,
    /// The file beside the page that has the whole text, where something was left out.
    pub(super) file: Option<String>,
    /// Whether it is JSON, or what a program logged, and reads better with signs of one width.
    pub(super) fixed_width: bool,
    /// Whether it is so long that the page shows it in a frame that scrolls.
    pub(super) long: bool,
}

/// One aspect of an answer, on both sides where there are two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Panel {
    /// What the texts are.
    pub(super) label: &'static str,
    /// The accepted text.
    pub(super) old: Option<SideText>,
    /// The text of this run.
    pub(super) new: SideText,
    /// Whether both sides say the same, left-out parts included.
    pub(super) same: bool,
    /// The new text with the lines that `new` leaves out because both sides have them; nothing where it leaves none out.
    pub(super) whole: Option<SideText>,
}

/// An answer taken apart for reading.
#[derive(PartialEq, Eq)]
struct Parts {
    /// What most readers want: the `output` field of a JSON answer, or the whole answer.
    output: String,
    /// The other fields of a JSON answer that has an `output`.
    rest: Option<String>,
}

/// How long one comparison may take before it settles for coarser marks.
const PATIENCE: Duration = Duration::from_millis(200);

/// Bytes that are shown of a text without a frame that scrolls.
const LONG: usize = 3_000;

/// Below this share of common words marks are only noise.
const LEAST_COMMON: f32 = 0.2;

/// Lines of JSON that are shown around a difference.
const CONTEXT: usize = 2;

/// Fewer lines than these are not worth leaving out.
const LEAST_LEFT_OUT: usize = 3;

/// So many marks on a side still read as a sentence.
const MOST_CHANGED: usize = 2;

/// Bytes of one such mark at the most.
const LONGEST_CHANGED: usize = 40;

/// The panels for an answer, and for the accepted one where there is one. Of each text no more is shown than `cap` says.
pub(super) fn panels(old: Option<&str>, new: &str, cap: Cap<'_>) -> Vec<Panel> {
    let new = parts(new);
    let old = old.map(parts);
    let mut panels = vec![panel("Answer", old.as_ref().map(|old| old.output.as_str()), &new.output, cap)];
    let old_rest = old.as_ref().and_then(|old| old.rest.as_deref());
    if new.rest.is_some() || old_rest.is_some() {
        let old_rest = old.as_ref().map(|_| old_rest.unwrap_or_default());
        panels.push(panel("Other fields of the answer", old_rest, new.rest.as_deref().unwrap_or_default(), cap));
    }
    panels
}

/// Whether two answers say the same, however their JSON is laid out.
pub(super) fn reads_the_same(old: &str, new: &str) -> bool {
    old == new || parts(old) == parts(new)
}

/// The few words that differ in what two answers say, each as code: the old ones, then the new ones. Nothing where it is
/// more than a few, or where a side has none.
pub(super) fn changed_words(old: &str, new: &str) -> Option<(String, String)> {
    let (old, new) = segments(&parts(old).output, &parts(new).output);
    let (old, new) = (joined(old), joined(new));
    let words = |segments: Vec<Segment>| {
        let marked: Vec<String> = segments.into_iter().filter(|one| one.marked).map(|one| one.text).collect();
        let few = (1..=MOST_CHANGED).contains(&marked.len());
        let short = marked.iter().all(|text| text.len() <= LONGEST_CHANGED && !text.contains(['`', '\n']));
        (few && short).then(|| marked.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" and "))
    };
    Some((words(old)?, words(new)?))
}

/// A text that a program logged.
pub(super) fn logged(text: &str, cap: Cap<'_>) -> SideText {
    SideText { fixed_width: true, ..plain(text, cap) }
}

/// A single text without anything to hold it against.
pub(super) fn plain(text: &str, cap: Cap<'_>) -> SideText {
    let (shown, left_out) = capped(text, cap.bytes);
    side(vec![Segment { text: shown.to_owned(), marked: false }], text, left_out, cap)
}

fn panel(label: &'static str, old: Option<&str>, new: &str, cap: Cap<'_>) -> Panel {
    let Some(old) = old else {
        return Panel { label, old: None, new: plain(new, cap), same: false, whole: None };
    };
    if old == new {
        return Panel { label, old: Some(plain(old, cap)), new: plain(new, cap), same: true, whole: None };
    }
    let start = first_shown(old, new, cap.bytes);
    let ((old_shown, old_cut), (new_shown, new_cut)) =
        (capped(&old[start..], cap.bytes), capped(&new[start..], cap.bytes));
    let (mut old_segments, mut new_segments) = segments(old_shown, new_shown);
    if old_cut > 0 || new_cut > 0 {
        unmark_the_cut(&mut old_segments, &mut new_segments);
    }
    let folds = is_json(old) && is_json(new);
    let (old_segments, _) = around_changes(old_segments, folds);
    let (new_segments, left_some_out) = around_changes(new_segments, folds);
    Panel {
        label,
        old: Some(side(from_start(joined(old_segments), start), old, start + old_cut, cap)),
        new: side(from_start(joined(new_segments), start), new, start + new_cut, cap),
        same: false,
        whole: left_some_out.then(|| plain(new, cap)),
    }
}

/// Where two texts are shown from: their beginning, or a little before their first difference where that lies near the
/// end of what `bytes` show, or beyond.
fn first_shown(old: &str, new: &str, bytes: usize) -> usize {
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let lead = bytes / 4;
    if same + lead < bytes || old.len().max(new.len()) <= bytes {
        return 0;
    }
    // Up to here the texts are the same, and so are the places where their characters begin.
    old.floor_char_boundary(same.saturating_sub(lead))
}

/// The pieces behind a line that says how much was left out before them.
fn from_start(mut segments: Vec<Segment>, start: usize) -> Vec<Segment> {
    if start > 0 {
        segments.insert(0, Segment { text: format!("… {start} bytes that are the same\n"), marked: false });
    }
    segments
}

/// Takes the marks from what comes after the last piece that both sides have: beyond a cut the same words may go on. Only
/// where nothing else is marked, the first word of it stays so, because there the texts do differ.
fn unmark_the_cut(old: &mut Vec<Segment>, new: &mut Vec<Segment>) {
    let marks = |segments: &[Segment]| segments.iter().filter(|one| one.marked).count();
    let at_end = |segments: &[Segment]| usize::from(segments.last().is_some_and(|last| last.marked));
    let none_before = marks(old) == at_end(old) && marks(new) == at_end(new);
    for segments in [old, new] {
        let Some(last) = segments.pop_if(|last| last.marked) else { continue };
        let word = if none_before { first_word(&last.text) } else { 0 };
        let (word, rest) = last.text.split_at(word);
        let pieces = [(word, true), (rest, false)].into_iter().filter(|(text, _)| !text.is_empty());
        segments.extend(pieces.map(|(text, marked)| Segment { text: text.to_owned(), marked }));
    }
}

/// The bytes of the first word of a text, with the space before it; 0 where the word goes on to its end, and may go on
/// beyond.
fn first_word(text: &str) -> usize {
    let inset = text.len() - text.trim_start().len();
    text[inset..].find(char::is_whitespace).map_or(0, |end| inset + end)
}

/// What lies around the differences of a text that `folds`, with a line in the place of those that both sides have; and
/// whether there is such a line.
fn around_changes(segments: Vec<Segment>, folds: bool) -> (Vec<Segment>, bool) {
    let last = segments.len().saturating_sub(1);
    if !folds || last == 0 {
        return (segments, false);
    }
    let mut left_some_out = false;
    let mut around = Vec::with_capacity(segments.len());
    for (index, segment) in segments.into_iter().enumerate() {
        let lines: Vec<&str> = segment.text.split_inclusive('\n').collect();
        // The first and the last of these lines are the rest of a line with a difference.
        let (before, after) = (if index == 0 { 0 } else { CONTEXT + 1 }, if index == last { 0 } else { CONTEXT + 1 });
        let left_out = lines.len().saturating_sub(before + after);
        if segment.marked || left_out < LEAST_LEFT_OUT {
            around.push(segment);
            continue;
        }
        left_some_out = true;
        let (head, tail) = (lines[..before].concat(), lines[before + left_out..].concat());
        let text = format!("{head}… {left_out} lines that are the same\n{tail}");
        around.push(Segment { text, marked: false });
    }
    (around, left_some_out)
}

fn side(segments: Vec<Segment>, whole: &str, left_out: usize, cap: Cap<'_>) -> SideText {
    let shown = |segment: Segment| Segment { text: visible(&segment.text).into_owned(), ..segment };
    let segments: Vec<Segment> = segments.into_iter().map(shown).collect();
    SideText {
        left_out: left_out_text(left_out),
        file: cap.file(whole),
        fixed_width: is_json(whole),
        long: segments.iter().map(|segment| segment.text.len()).sum::<usize>() > LONG,
        segments,
    }
}

/// Whether the text is objects or arrays of JSON, one after the other.
fn is_json(text: &str) -> bool {
    let values = || serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    text.trim_start().starts_with(['{', '[']) && values().all(|value| value.is_ok())
}

fn segments(old: &str, new: &str) -> (Vec<Segment>, Vec<Segment>) {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_unicode_words(old, new);
    let worth_marking = diff.ratio() >= LEAST_COMMON;
    let (mut old_segments, mut new_segments) = (Vec::new(), Vec::new());
    let mut in_common = false;
    for change in diff.iter_all_changes() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Equal if in_common => {
                push(&mut old_segments, text, false);
                push(&mut new_segments, text, false);
            }
            // A piece of its own, also on the side that has nothing before it: both sides have the same common pieces.
            ChangeTag::Equal => {
                let piece = Segment { text: text.to_owned(), marked: false };
                old_segments.push(piece.clone());
                new_segments.push(piece);
            }
            ChangeTag::Delete => push(&mut old_segments, text, worth_marking),
            ChangeTag::Insert => push(&mut new_segments, text, worth_marking),
        }
        in_common = change.tag() == ChangeTag::Equal;
    }
    (old_segments, new_segments)
}

fn push(segments: &mut Vec<Segment>, text: &str, marked: bool) {
    match segments.last_mut() {
        Some(last) if last.marked == marked => last.text.push_str(text),
        _ => segments.push(Segment { text: text.to_owned(), marked }),
    }
}

/// Joins marks that only spaces keep apart, so that a changed phrase reads as one.
fn joined(segments: Vec<Segment>) -> Vec<Segment> {
    let mut result: Vec<Segment> = Vec::with_capacity(segments.len());
    let mut segments = segments.into_iter().peekable();
    while let Some(segment) = segments.next() {
        let between = !segment.marked
            && segment.text.chars().all(|character| character == ' ')
            && result.last().is_some_and(|last| last.marked)
            && segments.peek().is_some_and(|next| next.marked);
        push(&mut result, &segment.text, segment.marked || between);
    }
    result
}

fn parts(text: &str) -> Parts {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(mut fields)) => match fields.shift_remove("output") {
            Some(output) => {
                let output = output.as_str().map_or_else(|| pretty(&output), str::to_owned);
                let rest = (!fields.is_empty()).then(|| pretty(&Value::Object(fields)));
                Parts { output, rest }
            }
            None => Parts { output: pretty(&Value::Object(fields)), rest: None },
        },
        Ok(value @ Value::Array(_)) => Parts { output: pretty(&value), rest: None },
        _ => Parts { output: text.to_owned(), rest: None },
    }
}

/// A JSON value over several lines.
pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::payload::Payloads;
    use super::*;
    use proptest::prelude::*;

    fn marked(side: &SideText) -> Vec<&str> {
        side.segments.iter().filter(|segment| segment.marked).map(|segment| segment.text.as_str()).collect()
    }

    #[test]
    fn the_words_that_differ_are_marked_on_their_side() {
        let panels = panels(
            Some("Return it within 30 days, unworn."),
            "Return it within 14 days, unworn.",
            Cap::new(1000, &Payloads::default()),
        );
        assert_eq!(panels.len(), 1);
        assert_eq!(panels[0].old.as_ref().map(marked), Some(vec!["30"]));
        assert_eq!(marked(&panels[0].new), ["14"]);
    }

    #[test]
    fn a_changed_phrase_is_one_mark() {
        let panels = panels(
            Some("It is now confirmed for you today."),
            "It is held by staff for you today.",
            Cap::new(1000, &Payloads::default()),
        );
        assert_eq!(panels[0].old.as_ref().map(marked), Some(vec!["now confirmed"]));
        assert_eq!(marked(&panels[0].new), ["held by staff"]);
    }

    #[test]
    fn a_json_answer_is_read_by_its_output_and_its_other_fields() {
        let panels = panels(
            Some(r#"{"output":"yes","n":1}"#),
            r#"{"output":"yes","n":2}"#,
            Cap::new(1000, &Payloads::default()),
        );
        assert!(panels[0].same);
        assert_eq!(panels[1].label, "Other fields of the answer");
        assert_eq!(marked(&panels[1].new), ["2"]);
    }

    #[test]
    fn of_json_only_the_lines_around_a_difference_are_shown_on_both_sides_alike() {
        let json = |middle: &str| {
            let lines = |letter: char| (0..9).map(|n| format!("  \"{letter}{n}\": {n},\n")).collect::<String>();
            format!("{{\n{}  \"m\": {middle},\n{}  \"z\": 0\n}}", lines('a'), lines('b'))
        };
        let payloads = Payloads::default();
        let panel = panel("Fields", Some(&json("1")), &json("2"), Cap::new(10_000, &payloads));
        let text = |side: &SideText| side.segments.iter().map(|one| one.text.as_str()).collect::<String>();
        let (old, new) = (text(panel.old.as_ref().unwrap()), text(&panel.new));
        assert_eq!(new.replace("\"m\": 2", "\"m\": 1"), old);
        assert!(new.starts_with("… 8 lines that are the same\n  \"a7\""), "{new}");
        assert!(new.ends_with("\"b1\": 1,\n… 9 lines that are the same\n"), "{new}");
        assert_eq!(text(panel.whole.as_ref().unwrap()), json("2"), "the whole of it is there too");
    }

    #[test]
    fn a_line_that_one_side_alone_has_leaves_its_place_on_the_other() {
        let json = |more: &str| format!("[\n{}{more}{}  0\n]", "  1,\n".repeat(9), "  2,\n".repeat(9));
        let panel = panel("Fields", Some(&json("  7,\n")), &json(""), Cap::new(10_000, &Payloads::default()));
        let new: String = panel.new.segments.iter().map(|one| one.text.as_str()).collect();
        assert!(new.contains("  1,\n") && new.contains("  2,\n"), "{new}");
    }

    #[test]
    fn prose_is_shown_whole() {
        let prose = |word: &str| format!("{}{word}\n{}", "a\n".repeat(20), "b\n".repeat(20));
        let panel = panel("Answer", Some(&prose("x")), &prose("y"), Cap::new(10_000, &Payloads::default()));
        let new: String = panel.new.segments.iter().map(|one| one.text.as_str()).collect();
        assert_eq!((new, panel.whole), (prose("y"), None));
    }

    #[test]
    fn a_few_changed_words_are_told_and_many_are_not() {
        let told = |old, new| changed_words(old, new);
        let (old, new) = ("within 6 working days".to_owned(), "within 9 working days");
        assert_eq!(told(&old, new), Some(("`6`".to_owned(), "`9`".to_owned())));
        assert_eq!(told(&old, &old), None);
        assert_eq!(told("a b c d e f g h i j", "a 1 c 2 e 3 g 4 i j"), None, "more than a few");
        assert_eq!(told("a b", "a b c"), None, "the accepted one has no word for it");
    }

    #[test]
    fn json_is_told_from_prose() {
        for json in ["{}", "[1]", "{\"a\": 1}\n{\"b\": 2}"] {
            assert!(is_json(json), "{json}");
        }
        for prose in ["", "7", "yes", "[see below] yes", "{curly}"] {
            assert!(!is_json(prose), "{prose}");
        }
    }

    #[test]
    fn the_layout_of_json_is_no_difference() {
        assert!(reads_the_same(r#"{"output":"yes","n":1}"#, r#"{ "output": "yes", "n": 1 }"#));
        assert!(!reads_the_same(r#"{"output":"yes","n":1}"#, r#"{"output":"yes","n":2}"#));
        assert!(!reads_the_same("yes", "Yes"));
    }

    #[test]
    fn what_lies_behind_the_cap_still_counts_as_a_difference() {
        let panels = panels(Some("aaaa old"), "aaaa new", Cap::new(4, &Payloads::default()));
        assert!(!panels[0].same);
        assert_eq!(panels[0].new.left_out.as_deref(), Some("4 more bytes stand in report.json"));
    }

    fn whole(side: &SideText) -> String {
        side.segments.iter().map(|segment| segment.text.as_str()).collect()
    }

    fn cut_panel(old: &str, new: &str, bytes: usize) -> Panel {
        panel("Answer", Some(old), new, Cap::new(bytes, &Payloads::default()))
    }

    #[test]
    fn what_a_cut_takes_away_is_marked_on_neither_side() {
        let words = |from: usize| (from..from + 100).map(|number| format!("w{number} ")).collect::<String>();
        let (old, new) = (format!("one {}", words(0)), format!("one two three {}", words(0)));
        let panel = cut_panel(&old, &new, 200);
        assert_eq!(panel.old.as_ref().map(marked), Some(vec![]), "nothing of it is gone");
        assert_eq!(marked(&panel.new).iter().map(|text| text.trim()).collect::<Vec<_>>(), ["two three"]);
        let (old, new) = (words(0), format!("{}end", words(0)));
        assert_eq!(marked(&cut_panel(&old[..150], &new, 200).new).len(), 1, "what only the longer one has");
    }

    #[test]
    fn a_first_difference_beyond_the_cut_is_shown_with_what_lies_around_it() {
        let text = |word: &str| format!("{}the {word} day {}", "same ".repeat(100), "after ".repeat(100));
        let panel = cut_panel(&text("first"), &text("second"), 80);
        assert_eq!((panel.old.as_ref().map(marked), marked(&panel.new)), (Some(vec!["first"]), vec!["second"]));
        let new = whole(&panel.new);
        assert!(new.starts_with("… 484 bytes that are the same\n"), "{new}");
        assert!(new.contains("same the second day after"), "{new}");
        assert_eq!(panel.new.left_out.as_deref(), Some("1035 more bytes stand in report.json"));
    }

    #[test]
    fn texts_that_differ_from_one_place_on_are_marked_there() {
        let (old, new) = (format!("head {}", "a1 a2 ".repeat(50)), format!("head {}", "b1 b2 ".repeat(50)));
        let mut pieces = (vec![], vec![]);
        for (side, text) in [(&mut pieces.0, &old), (&mut pieces.1, &new)] {
            side.push(Segment { text: "head ".to_owned(), marked: false });
            side.push(Segment { text: text[5..].to_owned(), marked: true });
        }
        unmark_the_cut(&mut pieces.0, &mut pieces.1);
        let marks =
            |side: &[Segment]| side.iter().filter(|one| one.marked).map(|one| one.text.clone()).collect::<Vec<_>>();
        assert_eq!((marks(&pieces.0), marks(&pieces.1)), (vec!["a1".to_owned()], vec!["b1".to_owned()]));
    }

    proptest! {
        #[test]
        fn what_is_shown_of_a_cut_text_stands_in_it_at_the_place_that_is_said(
            old in "[ab\u{e9} \n]{0,60}", new in "[ab\u{e9} \n]{0,60}", bytes in 1_usize..40,
        ) {
            let panel = cut_panel(&old, &new, bytes);
            for (side, text) in panel.old.iter().map(|side| (side, &old)).chain([(&panel.new, &new)]) {
                let shown = whole(side);
                let said = shown.strip_prefix("… ").and_then(|rest| rest.split_once(" bytes that are the same\n"));
                let (start, shown) = said.map_or((0, shown.as_str()), |(start, rest)| (start.parse().unwrap(), rest));
                prop_assert!(text[start..].starts_with(shown), "{shown}");
                prop_assert!(shown.len() <= bytes.max(text.len().min(bytes)));
                prop_assert_eq!(side.left_out.is_some(), shown.len() < text.len());
            }
        }

        #[test]
        fn the_pieces_add_up_to_the_texts(old in "[a-c \n]{0,40}", new in "[a-c \n]{0,40}") {
            let (old_segments, new_segments) = segments(&old, &new);
            let text = |segments: &[Segment]| segments.iter().map(|segment| segment.text.as_str()).collect::<String>();
            prop_assert_eq!(text(&old_segments), old);
            prop_assert_eq!(text(&new_segments), new);
        }
    }
}
