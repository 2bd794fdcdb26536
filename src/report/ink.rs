//! Colour for the terminal, or none.

use anstyle::{AnsiColor, Style};

/// Whether and how text is coloured. What is coloured has been made visible before, so no text can bring its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ink {
    on: bool,
}

impl Ink {
    /// Colour where `styled`.
    pub(super) fn new(styled: bool) -> Self {
        Self { on: styled }
    }

    /// A heading.
    pub(super) fn heading(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// Something less important.
    pub(super) fn quiet(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// Something that got worse.
    pub(super) fn bad(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    /// Something that cannot be said.
    pub(super) fn doubtful(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// Something that is as it should be.
    pub(super) fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default().bold(), text)
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}
