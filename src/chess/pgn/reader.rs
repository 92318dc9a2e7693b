//! PGN reader: an iterator over the games of a text.

use super::builder::{GameBuilder, LocatedError};
use super::lexer::Lexer;
use super::{Headers, PgnError, PgnGame};

/// A game that the reader rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGame {
    /// The headers that were read.
    pub headers: Headers,
    /// The first error of the game.
    pub error: PgnError,
}

/// A reader of the games of a text. [`decode`](super::decode) converts bytes to text.
///
/// The reader accepts:
/// - missing headers, blank lines, closing parentheses and results;
/// - repeated headers (the last one counts) and unescaped quotes in values;
/// - move numbers in any form or none;
/// - moves in UCI, long algebraic notation, figurines or the wrong case, and castling with zeros;
/// - symbols such as `!?` for NAGs.
///
/// It skips lines after `%`, reserved brackets, and the rest of a variation after an illegal move.
///
/// A game ends at its result, at the next header or at the end of the text. Moves after a draw by
/// the rules are accepted, because a PGN records what was played.
#[derive(Clone, Debug)]
pub struct PgnReader<'a> {
    lexer: Lexer<'a>,
    line_counter: LineCounter<'a>,
    games_read: usize,
}

impl<'a> PgnReader<'a> {
    /// A reader that starts at the beginning of a text.
    pub const fn new(text: &'a str) -> PgnReader<'a> {
        PgnReader { lexer: Lexer::new(text), line_counter: LineCounter::new(text), games_read: 0 }
    }

    /// The byte offset at which the next game starts. The text between two consecutive offsets is
    /// the text of one game.
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

/// A counter of lines. It walks through the text once for all locations.
#[derive(Clone, Debug)]
struct LineCounter<'a> {
    text: &'a str,
    /// The byte offset up to which lines are counted.
    counted_to: usize,
    line: usize,
    line_start: usize,
}

impl<'a> LineCounter<'a> {
    const fn new(text: &'a str) -> LineCounter<'a> {
        LineCounter { text, counted_to: 0, line: 1, line_start: 0 }
    }

    /// Line and column of a byte offset, both from 1; the column is in characters. Offsets must not
    /// decrease from call to call.
    fn locate(&mut self, offset: usize) -> (usize, usize) {
        let bytes = self.text.as_bytes();
        for index in self.counted_to..offset {
            // A carriage return alone also ends a line, as on classic Mac OS.
            let is_line_end = bytes[index] == b'\n'
                || (bytes[index] == b'\r' && bytes.get(index + 1) != Some(&b'\n'));
            if is_line_end {
                self.line += 1;
                self.line_start = index + 1;
            }
        }
        self.counted_to = self.counted_to.max(offset);
        (
            self.line,
            1 + self.text.get(self.line_start..offset).map_or(0, |before| before.chars().count()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_line_endings_are_counted() {
        let mut counter = LineCounter::new("a\nbé\r\n\rxy");
        assert_eq!(counter.locate(0), (1, 1));
        assert_eq!(counter.locate(5), (2, 3), "é is one character of two bytes");
        assert_eq!(counter.locate(9), (4, 2));
    }
}
