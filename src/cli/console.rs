//! Standard output and standard error, with colour where it is wanted. A closed pipe ends the talking, not the work.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::arguments::Color;
use super::wrap::{columns, wrapped};

/// Where a command speaks.
#[derive(Clone, Debug)]
pub(super) struct Console {
    choice: Option<ColorChoice>,
    quiet: bool,
    /// Why something of what was asked for could not be written, the first time.
    unwritten: Arc<OnceLock<String>>,
}

/// Headings.
pub(super) const STRONG: Style = Style::new().bold();
/// What passed.
pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What is worth a look.
pub(super) const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// What failed.
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What is beside the point.
pub(super) const FAINT: Style = Style::new().dimmed();

impl Console {
    pub(super) fn new(color: Color, quiet: bool) -> Self {
        let choice = match color {
            Color::Auto => None,
            Color::Always => Some(ColorChoice::Always),
            Color::Never => Some(ColorChoice::Never),
        };
        Self { choice, quiet, unwritten: Arc::default() }
    }

    /// Whether only what went wrong is to be said.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Why something of what was asked for could not be written, where that was so. A reader that closed the pipe has had enough.
    pub(super) fn unwritten(&self) -> Option<&str> {
        self.unwritten.get().map(String::as_str)
    }

    /// What was asked for: to standard output, with a line end. What cannot be written is known by [`Self::unwritten`].
    pub(super) fn say(&self, text: impl AsRef<str>) {
        let stream = std::io::stdout();
        let choice = self.choice.unwrap_or_else(|| AutoStream::choice(&stream));
        let written = write_line(AutoStream::new(stream.lock(), choice), text.as_ref());
        if let Err(error) = had_enough(written) {
            self.unwritten.get_or_init(|| error.to_string());
        }
    }

    /// A whole text of ended lines to standard output; nothing where it is empty.
    pub(super) fn lines(&self, text: &str) {
        if !text.is_empty() {
            self.say(text.trim_end_matches('\n'));
        }
    }

    /// The same for a person: on a terminal, lines are broken between words.
    pub(super) fn prose(&self, text: &str) {
        match columns(std::io::stdout()) {
            Some(columns) => self.lines(&wrapped(text, columns)),
            None => self.lines(text),
        }
    }

    /// What a reader may want to know beside it: to standard error, unless quiet.
    pub(super) fn remark(&self, text: impl AsRef<str>) {
        if !self.quiet {
            self.complain(text);
        }
    }

    /// What went wrong: to standard error, always.
    pub(super) fn complain(&self, text: impl AsRef<str>) {
        let stream = std::io::stderr();
        let choice = self.choice.unwrap_or_else(|| AutoStream::choice(&stream));
        // Where that cannot be written there is no one to tell.
        let _ = write_line(AutoStream::new(stream.lock(), choice), text.as_ref());
    }

    /// Prints a value as one JSON document.
    pub(super) fn json(&self, value: &impl serde::Serialize) -> std::io::Result<()> {
        self.document(&serde_json::to_string_pretty(value)?)
    }

    /// Raw text to standard output: a document that must arrive as it is. Answers whether it could be written;
    /// a reader that closed the pipe has had enough, which is no failure.
    pub(super) fn document(&self, text: &str) -> std::io::Result<()> {
        let mut stream = std::io::stdout().lock();
        let written = stream.write_all(text.as_bytes()).and_then(|()| {
            if text.ends_with('\n') { Ok(()) } else { stream.write_all(b"\n") }?;
            stream.flush()
        });
        had_enough(written)
    }

    /// As [`Self::document`], of a document that lies in a file and ends without a line break: it need not fit into memory.
    pub(super) fn document_in(&self, path: &Path) -> std::io::Result<()> {
        let mut file = std::fs::File::open(path)?;
        let mut stream = std::io::stdout().lock();
        let copied = std::io::copy(&mut file, &mut stream);
        had_enough(copied.and_then(|_| stream.write_all(b"\n")).and_then(|()| stream.flush()))
    }
}

/// A reader that closed the pipe has had enough, which is no failure.
fn had_enough(written: std::io::Result<()>) -> std::io::Result<()> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn write_line(mut stream: impl Write, text: &str) -> std::io::Result<()> {
    stream.write_all(text.as_bytes()).and_then(|()| stream.write_all(b"\n")).and_then(|()| stream.flush())
}

/// `text` in `style`.
pub(super) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
