//! One way to a green gate without merit, and what must become of it.

use std::fs;

use crate::desk::Desk;
use crate::sandbox::Ran;

/// A trick, and how the gate must answer it.
pub(crate) struct Way {
    /// What the adversary does, in one sentence.
    pub(crate) trick: &'static str,
    /// Does it to an honest project, and runs the gate.
    pub(crate) play: fn(&Desk) -> Ran,
    /// How the gate must end. 0 is right only where a person has to weigh what was done, and the first screen names it.
    pub(crate) ends: i32,
    /// What the first screen must say, in any case; where no report comes of it, the message on standard error.
    pub(crate) says: &'static str,
}

/// Plays each way on a copy of the project. All that go wrong are told together.
#[track_caller]
pub(crate) fn play(honest: &Desk, ways: &[Way]) {
    assert!(!ways.is_empty(), "nothing is played");
    let failures: Vec<String> = ways.iter().filter_map(|way| failure(&honest.copy(), way)).collect();
    assert!(failures.is_empty(), "{} of {}:\n\n{}", failures.len(), ways.len(), failures.join("\n\n"));
}

fn failure(desk: &Desk, way: &Way) -> Option<String> {
    assert!(!way.says.is_empty(), "{}: what is not named is not found", way.trick);
    let gate = (way.play)(desk);
    let screen = first_screen(desk).unwrap_or_else(|| gate.stderr.clone());
    let wrong = match (gate.code == way.ends, screen.contains(way.says)) {
        (true, true) => return None,
        (false, _) => format!("ended {}, not {}", gate.code, way.ends),
        (true, false) => format!("the first screen does not say `{}`", way.says),
    };
    Some(format!("{}: {wrong}\nfirst screen: {screen}\n{}", way.trick, gate.told()))
}

/// The first screen of the report that the last gate wrote: the text of the verdict's section, which stands before that of
/// any case. `None` where it wrote no report.
pub(crate) fn first_screen(desk: &Desk) -> Option<String> {
    let page = fs::read_to_string(desk.sandbox.project().join("reports/latest/report.html")).ok()?;
    let (before, rest) = page.split_once("<section id=\"verdict\"").unwrap();
    assert!(!before.contains("<section"), "a section comes before the verdict");
    Some(text_of(rest.split_once("</section>").unwrap().0))
}

/// What a reader sees of a piece of the page, without the marks and with the signs that were escaped.
fn text_of(html: &str) -> String {
    let html = html.replace("<code>", "`").replace("</code>", "`");
    let after_marks = html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    let text = after_marks.collect::<Vec<_>>().join(" ");
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")];
    let text = signs.iter().fold(text, |text, (escaped, sign)| text.replace(escaped, sign));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
