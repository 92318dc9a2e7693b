//! One game of a text after the other.

use super::lexer::Lexer;
use super::line_counter::LineCounter;
use super::under_way::{Found, UnderWay};
use super::{BadGame, Headers, PgnError, PgnGame};

/// Reads the games of a text. [`decode`](super::decode) makes a text of bytes.
///
/// Taken as meant: headers and blank lines that are missing, headers that come twice (the last one
/// counts), quotes in values that are not escaped, numbers of moves in any form or none, moves in
/// UCI, long algebraic notation, figurines or sloppy letters, castling with zeros, signs for
/// glyphs, parentheses and results that are missing. Left out: lines behind `%`, reserved brackets,
/// a variation from its first unplayable move on.
///
/// A game is over at its result, at the next header, or with the text. Moves after a draw by the
/// rules are played: a text says what was played, not what had to end.
#[derive(Clone, Debug)]
pub struct PgnReader<'a> {
    lexer: Lexer<'a>,
    lines: LineCounter<'a>,
    games: usize,
}

impl<'a> PgnReader<'a> {
    /// Begins at the start of a text.
    pub const fn new(text: &'a str) -> PgnReader<'a> {
        PgnReader { lexer: Lexer::new(text), lines: LineCounter::new(text), games: 0 }
    }

    /// The byte of the text from which on the next game is looked for: what lies between two of
    /// these is the text of one game.
    pub const fn offset(&self) -> usize {
        self.lexer.offset()
    }

    fn bad_game(&mut self, headers: Headers, found: Found) -> BadGame {
        let Found { at, ply, text, fault } = found;
        let (line, column) = self.lines.locate(at);
        BadGame { headers, error: PgnError { game: self.games, ply, line, column, text, fault } }
    }
}

impl Iterator for PgnReader<'_> {
    type Item = Result<PgnGame, BadGame>;

    fn next(&mut self) -> Option<Result<PgnGame, BadGame>> {
        loop {
            let mut game = UnderWay::default();
            let mut is_last = true;
            while let Some((at, token)) = self.lexer.next() {
                if game.ends_before(&token) {
                    self.lexer.back_to(at);
                    is_last = false;
                    break;
                }
                game.take(at, token);
            }
            if let Some(read) = game.finish() {
                let read = read.map_err(|(headers, found)| self.bad_game(headers, found));
                self.games += 1;
                return Some(read);
            }
            if is_last {
                return None;
            }
        }
    }
}
