//! A game as PGN describes it: headers, annotated moves, variations and result.

use super::{Headers, PgnEval, comment_commands};
use crate::chess::{Color, Game, Move, Position};

/// A game: headers, start position, annotated moves and result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnGame {
    /// The headers as given. For start position and result, the other members of this struct take
    /// precedence.
    pub headers: Headers,
    /// The position before the first move.
    pub start: Position,
    /// The main line.
    pub line: Line,
    /// The result after the moves, otherwise the result in the header.
    pub result: GameResult,
}

/// A sequence of moves. Each move is legal after the moves before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The comment before the first move.
    pub comment: String,
    /// The moves.
    pub moves: Vec<PgnMove>,
}

/// A move and its annotations. Without annotations it takes 16 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    mv: Move,
    /// `None` when there are no annotations.
    annotations: Option<Box<Annotations>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Annotations {
    nags: Vec<u8>,
    comment: String,
    variations: Vec<Line>,
}

/// The result at the end of a game. Moves alone do not show agreements, claims and losses on time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: the game is unfinished, or its result is unknown.
    #[default]
    Unknown,
}

impl GameResult {
    /// Parses a result in the form of the standard or in a common variant (`1/2`, `1:0`).
    pub fn parse(text: &str) -> Option<GameResult> {
        Some(match text {
            "1-0" | "1:0" => GameResult::WhiteWins,
            "0-1" | "0:1" => GameResult::BlackWins,
            "1/2-1/2" | "1/2" | "1/2:1/2" | "0.5-0.5" => GameResult::Draw,
            "*" => GameResult::Unknown,
            _ => return None,
        })
    }

    /// The text in PGN.
    pub const fn as_str(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }

    /// The winner, if there is one.
    pub const fn winner(self) -> Option<Color> {
        match self {
            GameResult::WhiteWins => Some(Color::White),
            GameResult::BlackWins => Some(Color::Black),
            GameResult::Draw | GameResult::Unknown => None,
        }
    }
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

    /// The start position and the main line as a [`Game`].
    pub fn to_game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        self.line.moves.iter().for_each(|mv| game.play(mv.mv()));
        game
    }
}

impl Default for PgnGame {
    fn default() -> PgnGame {
        PgnGame::new(Position::startpos())
    }
}

impl Line {
    /// A line of moves without annotations.
    pub fn from_moves(moves: &[Move]) -> Line {
        Line { comment: String::new(), moves: moves.iter().map(|&mv| PgnMove::new(mv)).collect() }
    }
}

impl PgnMove {
    /// A move without annotations.
    pub const fn new(mv: Move) -> PgnMove {
        PgnMove { mv, annotations: None }
    }

    /// The move.
    pub const fn mv(&self) -> Move {
        self.mv
    }

    /// The numeric annotation glyphs (NAGs), each once.
    pub fn nags(&self) -> &[u8] {
        self.annotations.as_deref().map_or(&[], |annotations| &annotations.nags)
    }

    /// The comment after the move; several comments are joined by a space. Empty without a comment.
    pub fn comment(&self) -> &str {
        self.annotations.as_deref().map_or("", |annotations| &annotations.comment)
    }

    /// The variations that replace this move.
    pub fn variations(&self) -> &[Line] {
        self.annotations.as_deref().map_or(&[], |annotations| &annotations.variations)
    }

    /// The time on the player's clock after the move in milliseconds, if the comment states it.
    pub fn clock_ms(&self) -> Option<u64> {
        comment_commands::comment_clock_ms(self.comment())
    }

    /// The evaluation after the move, if the comment states it.
    pub fn eval(&self) -> Option<PgnEval> {
        comment_commands::comment_eval(self.comment())
    }

    /// Adds a NAG that the move does not have yet.
    pub fn add_nag(&mut self, nag: u8) {
        if !self.nags().contains(&nag) {
            self.annotations_mut().nags.push(nag);
        }
    }

    /// Removes the NAGs for which `keep` returns `false`.
    pub fn retain_nags(&mut self, keep: impl Fn(u8) -> bool) {
        self.update_annotations(|annotations| annotations.nags.retain(|&nag| keep(nag)));
    }

    /// Sets the comment. Each run of whitespace becomes one space, and a closing brace becomes a
    /// closing parenthesis.
    pub fn set_comment(&mut self, text: &str) {
        let comment = normalize_comment(text);
        self.update_annotations(|annotations| annotations.comment = comment);
    }

    /// Appends a text to the comment.
    pub fn add_comment(&mut self, text: &str) {
        let text = normalize_comment(text);
        if !text.is_empty() {
            append_word(&mut self.annotations_mut().comment, &text);
        }
    }

    /// Adds a variation: a line from the position before this move. An empty line is not added.
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

/// The stored form of a comment. Each run of whitespace and control characters is one space, and
/// the ends have none. A closing brace, which a comment cannot contain, is a closing parenthesis.
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

/// `true` for ASCII text that needs no change. Nearly every comment is of this form.
fn is_normalized_comment(text: &str) -> bool {
    let is_allowed = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'}';
    text.bytes().all(is_allowed) && !text.contains("  ")
}

/// Appends a word after a space.
pub(super) fn append_word(text: &mut String, word: &str) {
    if !text.is_empty() && !word.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}
