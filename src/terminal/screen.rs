//! The abilities of standard output: colours, figures, width.

use console::{Style, Term};

/// The width of a terminal that does not know its own.
const DEFAULT_COLUMNS: usize = 80;

/// The abilities of standard output.
#[derive(Clone, Debug)]
pub struct Screen {
    term: Term,
    has_colours: bool,
    has_figures: bool,
}

impl Screen {
    /// The screen of standard output, by the environment.
    pub fn of_stdout() -> Screen {
        let term = Term::buffered_stdout();
        let has_colours = term.is_term() && console::colors_enabled();
        Screen { has_colours, has_figures: has_colours && shows_unicode(), term }
    }

    /// `true` if the output is a terminal whose lines can be redrawn.
    pub fn is_live(&self) -> bool {
        self.term.is_term() && !console::is_dumb()
    }

    /// `true` if colours tell the sides and the squares apart.
    pub(super) fn has_colours(&self) -> bool {
        self.has_colours
    }

    /// `true` if pieces are figures, otherwise letters.
    pub(super) fn has_figures(&self) -> bool {
        self.has_figures
    }

    /// The columns of a terminal. `None` for a pipe, whose lines have any length.
    pub(super) fn columns(&self) -> Option<usize> {
        let columns =
            || self.term.size_checked().map_or(DEFAULT_COLUMNS, |(_, columns)| columns.into());
        self.term.is_term().then(columns)
    }

    /// The rows of the terminal.
    pub(super) fn rows(&self) -> usize {
        self.term.size_checked().map_or(usize::MAX, |(rows, _)| rows.into())
    }

    pub(super) fn term(&self) -> &Term {
        &self.term
    }

    /// The text in this style, if there are colours.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        style.force_styling(self.has_colours).apply_to(text).to_string()
    }

    /// The less important text.
    pub fn dim(&self, text: &str) -> String {
        self.paint(Style::new().dim(), text)
    }

    /// The most important text.
    pub fn bold(&self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// A screen for tests.
    #[cfg(test)]
    pub(super) fn fake(has_colours: bool, has_figures: bool) -> Screen {
        Screen { term: Term::buffered_stdout(), has_colours, has_figures }
    }
}

/// Whether the terminal shows chess figures, by its locale. The console of Linux has no such font.
fn shows_unicode() -> bool {
    let set = |name: &&str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    let is_utf8 = cfg!(windows) || locale.contains("utf-8") || locale.contains("utf8");
    is_utf8 && std::env::var("TERM").as_deref() != Ok("linux")
}
