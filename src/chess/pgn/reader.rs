//! One game of a text after the other.

use super::builder::{GameBuilder, LocatedError};
use super::lexer::Lexer;
use super::line_counter::LineCounter;
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
    line_counter: LineCounter<'a>,
    games_read: usize,
}

impl<'a> PgnReader<'a> {
    /// Begins at the start of a text.
    pub const fn new(text: &'a str) -> PgnReader<'a> {
        PgnReader { lexer: Lexer::new(text), line_counter: LineCounter::new(text), games_read: 0 }
    }

    /// The byte of the text from which on the next game is looked for: what lies between two of
    /// these is the text of one game.
    pub const fn offset(&self) -> usize {
        self.lexer.offset()
    }

    fn bad_game(&mut self, headers: Headers, error: LocatedError) -> BadGame {
        let LocatedError { offset, ply, text, kind } = error;
        let (line, column) = self.line_counter.locate(offset);
        BadGame {
            headers,
            error: PgnError { game: self.games_read, ply, line, column, text, kind },
        }
    }
}

impl Iterator for PgnReader<'_> {
    type Item = Result<PgnGame, BadGame>;

    fn next(&mut self) -> Option<Result<PgnGame, BadGame>> {
        loop {
            let mut builder = GameBuilder::default();
            let mut is_last = true;
            while let Some((offset, token)) = self.lexer.next() {
                if builder.starts_next_game(&token) {
                    self.lexer.rewind_to(offset);
                    is_last = false;
                    break;
                }
                builder.add_token(offset, token);
            }
            if let Some(result) = builder.finish() {
                let result = result.map_err(|(headers, error)| self.bad_game(headers, error));
                self.games_read += 1;
                return Some(result);
            }
            if is_last {
                return None;
            }
        }
    }
}
