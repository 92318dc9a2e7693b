//! A game with all that stands in its PGN.

use super::{GameResult, Headers, PgnEval, comment_commands};
use crate::chess::{Game, Move, Position};

/// A game: headers, moves with what is said of them, and the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnGame {
    /// The headers as given. Start and result are told by the members below, whatever the headers
    /// say.
    pub headers: Headers,
    /// The position before the first move.
    pub start: Position,
    /// The moves that were played.
    pub line: Line,
    /// How the game ended: as behind the moves, else as in the header.
    pub result: GameResult,
}

/// Moves that follow each other, each legal in the position that those before it lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// What is said before the first move.
    pub comment: String,
    /// The moves.
    pub moves: Vec<PgnMove>,
}

/// A move, and what is said of it. Without anything said it takes 16 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    mv: Move,
    /// Absent when there is nothing in it.
    annotations: Option<Box<Annotations>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Annotations {
    nags: Vec<u8>,
    comment: String,
    variations: Vec<Line>,
}

impl PgnGame {
    /// A game without headers and moves.
    pub fn new(start: Position) -> PgnGame {
        PgnGame {
            headers: Headers::new(),
            start,
            line: Line::default(),
            result: GameResult::Unknown,
        }
    }

    /// The game as the rules see it: the start and the moves that were played.
    pub fn to_game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        self.line.moves.iter().for_each(|mv| game.play(mv.mv()));
        game
    }
}

impl Line {
    /// Moves of which nothing is said.
    pub fn from_moves(moves: &[Move]) -> Line {
        Line { comment: String::new(), moves: moves.iter().map(|&mv| PgnMove::new(mv)).collect() }
    }
}

impl PgnMove {
    /// A move of which nothing is said.
    pub const fn new(mv: Move) -> PgnMove {
        PgnMove { mv, annotations: None }
    }

    /// The move.
    pub const fn mv(&self) -> Move {
        self.mv
    }

    /// Its numeric annotation glyphs, each once.
    pub fn nags(&self) -> &[u8] {
        self.annotations.as_deref().map_or(&[], |remarks| &remarks.nags)
    }

    /// What is said behind it; several comments are joined by a blank. Empty when there is none.
    pub fn comment(&self) -> &str {
        self.annotations.as_deref().map_or("", |remarks| &remarks.comment)
    }

    /// What could have been played in its place, and how that goes on.
    pub fn variations(&self) -> &[Line] {
        self.annotations.as_deref().map_or(&[], |remarks| &remarks.variations)
    }

    /// The time on the mover's clock after the move in milliseconds, when a comment states it.
    pub fn clock_ms(&self) -> Option<u64> {
        comment_commands::comment_clock_ms(self.comment())
    }

    /// The evaluation after the move, when a comment states it.
    pub fn eval(&self) -> Option<PgnEval> {
        comment_commands::comment_eval(self.comment())
    }

    /// Adds a glyph, unless it is there.
    pub fn add_nag(&mut self, nag: u8) {
        if !self.nags().contains(&nag) {
            self.annotations_mut().nags.push(nag);
        }
    }

    /// Takes glyphs away: those of which `keep` says no.
    pub fn retain_nags(&mut self, keep: impl Fn(u8) -> bool) {
        self.update_annotations(|remarks| remarks.nags.retain(|&glyph| keep(glyph)));
    }

    /// Sets the comment to a text, in which each run of blanks and line ends becomes one blank, and
    /// a closing brace a parenthesis.
    pub fn set_comment(&mut self, text: &str) {
        let comment = normalize_comment(text);
        self.update_annotations(|remarks| remarks.comment = comment);
    }

    /// Adds to the comment.
    pub fn add_comment(&mut self, text: &str) {
        let text = normalize_comment(text);
        if !text.is_empty() {
            append_word(&mut self.annotations_mut().comment, &text);
        }
    }

    /// Adds a variation: a line from the position before this move. One without move and comment is
    /// not added.
    pub fn add_variation(&mut self, line: Line) {
        if !line.moves.is_empty() || !line.comment.is_empty() {
            self.annotations_mut().variations.push(line);
        }
    }

    fn annotations_mut(&mut self) -> &mut Annotations {
        self.annotations.get_or_insert_default()
    }

    fn update_annotations(&mut self, change: impl FnOnce(&mut Annotations)) {
        change(self.annotations_mut());
        if self.annotations.as_deref() == Some(&Annotations::default()) {
            self.annotations = None;
        }
    }
}

/// A comment as it is kept: every run of blanks and line ends is one blank, none at the ends, and a
/// closing brace, which no comment can hold, is a closing parenthesis.
pub(super) fn normalize_comment(text: &str) -> String {
    let text = text.trim_ascii();
    if is_normalized_comment(text) {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    for word in text
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
    {
        append_word(&mut plain, word);
    }
    if plain.contains('}') { plain.replace('}', ")") } else { plain }
}

/// `true` for ASCII of which nothing has to be changed: nearly every comment.
fn is_normalized_comment(text: &str) -> bool {
    let is_kept = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'}';
    text.bytes().all(is_kept) && !text.contains("  ")
}

/// Appends behind a blank.
pub(super) fn append_word(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

impl Default for PgnGame {
    fn default() -> PgnGame {
        PgnGame::new(Position::startpos())
    }
}
