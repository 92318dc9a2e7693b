//! A game while it is read.

use std::borrow::Cow;

use super::game::{join, plain_comment};
use super::lexer::Token;
use super::respelling::find_move;
use super::word::{is_mere_remark, is_null_move, plain_letters, without_number};
use super::{
    GameResult, Headers, Line, MAX_HEADERS, MAX_MOVES, MAX_NESTING, PgnFault, PgnGame, PgnMove,
    glyph, opening_position,
};
use crate::chess::{Move, Position, excerpt};

/// A game that is put together token by token.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    headers: Headers,
    /// Something has come that is no header.
    past_headers: bool,
    /// Where the headers stand that say what the game starts with.
    start_at: usize,
    /// What is said before the first move.
    comment: String,
    start: Option<Position>,
    /// The line that is read, on those that it is a variation of; the game's own first. Empty
    /// before the first move.
    open: Vec<OpenLine>,
    /// Open parentheses. More than open lines but one: what is read is left out.
    depth: usize,
    /// Moves of all lines.
    moves: usize,
    result: Option<GameResult>,
    fault: Option<Found>,
}

/// A fault that was found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) at: usize,
    pub(super) ply: usize,
    pub(super) text: String,
    pub(super) fault: PgnFault,
}

/// A line to which moves are added.
#[derive(Debug)]
struct OpenLine {
    line: Line,
    /// After its last move.
    position: Position,
    /// Before its last move.
    before: Option<Position>,
}

impl OpenLine {
    fn at(position: Position, comment: String) -> OpenLine {
        OpenLine { line: Line { comment, moves: Vec::new() }, position, before: None }
    }

    fn play(&mut self, mv: Move) {
        let before = self.before.get_or_insert_with(|| self.position.clone());
        self.position.after_into(mv, before);
        std::mem::swap(&mut self.position, before);
        self.line.moves.push(PgnMove::new(mv));
    }
}

impl UnderWay {
    /// `true` when the token belongs to the next game.
    pub(super) fn ends_before(&self, token: &Token) -> bool {
        match token {
            Token::Header { name, after_blank_line, .. } => {
                let is_next_event = *after_blank_line && name.eq_ignore_ascii_case("Event");
                self.past_headers || (is_next_event && self.headers.get(name).is_some())
            }
            Token::Word(word) => {
                let is_trailing = *word == "-" || GameResult::read(word).is_some();
                self.result.is_some() && self.depth == 0 && !is_trailing
            }
            Token::Comment(_)
            | Token::UnclosedComment(_)
            | Token::Open
            | Token::Close
            | Token::Glyph(_) => false,
        }
    }

    /// Adds a token that stands at that byte of the text.
    pub(super) fn take(&mut self, at: usize, token: Token) {
        // A comment in front of all headers is one about the file.
        self.past_headers |= match token {
            Token::Header { .. } => false,
            Token::Comment(_) => !self.headers.is_empty(),
            _ => true,
        };
        match token {
            Token::Header { name, value, .. } => self.header(at, name, &value),
            Token::Comment(text) => self.comment(text),
            Token::UnclosedComment(text) if self.result.is_some() => self.comment(text),
            Token::UnclosedComment(text) => self.fail(at, text, PgnFault::UnclosedComment),
            Token::Open => self.open(at),
            Token::Close => self.close(),
            Token::Glyph(number) => self.glyph(number),
            Token::Word(word) => self.word(at, word),
        }
    }

    /// The game, or what is wrong with it; `None` when nothing of a game was there.
    pub(super) fn finish(mut self) -> Option<Result<PgnGame, (Headers, Found)>> {
        if self.headers.is_empty()
            && self.moves == 0
            && self.result.is_none()
            && self.fault.is_none()
        {
            return None;
        }
        self.begin();
        while self.open.len() > 1 {
            self.end_variation();
        }
        let headers = self.headers;
        if let Some(found) = self.fault {
            return Some(Err((headers, found)));
        }
        let line = self.open.pop().map(|open| open.line).unwrap_or_default();
        let result =
            self.result.or_else(|| GameResult::read(headers.get("Result")?)).unwrap_or_default();
        Some(Ok(PgnGame { headers, start: self.start?, line, result }))
    }

    fn header(&mut self, at: usize, name: &str, value: &str) {
        if self.headers.len() == MAX_HEADERS && self.headers.get(name).is_none() {
            return self.fail(at, name, PgnFault::TooManyHeaders);
        }
        if name.eq_ignore_ascii_case("FEN") || name.eq_ignore_ascii_case("Variant") {
            self.start_at = at;
        }
        self.headers.set(name, value);
    }

    fn comment(&mut self, text: &str) {
        if self.fault.is_some() || self.leaves_out() {
            return;
        }
        match self.open.last_mut() {
            None => join(&mut self.comment, &plain_comment(text)),
            Some(OpenLine { line, .. }) => match line.moves.last_mut() {
                Some(mv) => mv.add_comment(text),
                None => join(&mut line.comment, &plain_comment(text)),
            },
        }
    }

    fn glyph(&mut self, number: u8) {
        if number > 0
            && self.result.is_none()
            && !self.leaves_out()
            && let Some(mv) = self.open.last_mut().and_then(|open| open.line.moves.last_mut())
        {
            mv.add_glyph(number);
        }
    }

    fn open(&mut self, at: usize) {
        self.depth += 1;
        if self.result.is_some() || !self.begin() || self.open.len() < self.depth {
            return;
        }
        // Without a move before it there is nothing that it could be a variation of.
        if let Some(before) = self.open.last().and_then(|open| open.before.clone()) {
            if self.depth > MAX_NESTING {
                return self.fail(at, "(", PgnFault::TooDeep);
            }
            self.open.push(OpenLine::at(before, String::new()));
        }
    }

    fn close(&mut self) {
        if self.depth > 0 {
            if self.open.len() > self.depth {
                self.end_variation();
            }
            self.depth -= 1;
        }
    }

    /// Gives the innermost variation to the move that it stands behind.
    fn end_variation(&mut self) {
        if let Some(OpenLine { line, .. }) = self.open.pop()
            && let Some(mv) = self.open.last_mut().and_then(|open| open.line.moves.last_mut())
        {
            mv.add_variation(line);
        }
    }

    /// `true` inside parentheses that are not read.
    fn leaves_out(&self) -> bool {
        self.depth > 0 && self.open.len() <= self.depth
    }

    fn word(&mut self, at: usize, word: &str) {
        if self.result.is_some() {
            return;
        }
        let plain = plain_letters(word);
        if let Some(result) = GameResult::read(&plain) {
            self.result = (self.depth == 0).then_some(result);
            return;
        }
        let text = without_number(&plain);
        if text.is_empty() || is_mere_remark(text) || self.leaves_out() || !self.begin() {
            return;
        }
        if is_null_move(text) {
            return self.unplayable(at, word, PgnFault::NullMove);
        }
        self.move_text(at, word, text);
    }

    /// A move with the signs behind it, or signs alone.
    fn move_text(&mut self, at: usize, word: &str, text: &str) {
        let mut signs: Vec<u8> = glyph::of_letter(text).into_iter().collect();
        let mut text = if signs.is_empty() { text } else { "" };
        while let Some((shorter, sign)) = glyph::split(text) {
            text = shorter;
            if !signs.contains(&sign) {
                signs.push(sign);
            }
        }
        if !text.is_empty() && !self.play(at, word, text) {
            return;
        }
        // They were split off from behind.
        signs.into_iter().rev().for_each(|sign| self.glyph(sign));
    }

    /// Plays a move. `false` when it cannot be played.
    fn play(&mut self, at: usize, word: &str, text: &str) -> bool {
        let Some(open) = self.open.last_mut() else { return false };
        match find_move(&open.position, text) {
            Ok(_) if self.moves == MAX_MOVES => self.fail(at, word, PgnFault::TooManyMoves),
            Ok(mv) => {
                open.play(mv);
                self.moves += 1;
                return true;
            }
            Err(why) => self.unplayable(at, word, PgnFault::Move(why)),
        }
        false
    }

    /// A word that no move can be made of: the end of a game, but of a variation only the rest is
    /// left out.
    fn unplayable(&mut self, at: usize, word: &str, fault: PgnFault) {
        match self.depth {
            0 => self.fail(at, word, fault),
            _ => self.end_variation(),
        }
    }

    /// Sets the pieces up for the first move. `false` when there is nothing to be played any more.
    fn begin(&mut self) -> bool {
        if self.start.is_none() && self.fault.is_none() {
            match opening_position::of(&self.headers) {
                Ok(start) => {
                    self.open.push(OpenLine::at(start.clone(), std::mem::take(&mut self.comment)));
                    self.start = Some(start);
                }
                Err((text, fault)) => {
                    let text = Cow::into_owned(text);
                    self.fail(self.start_at, &text, fault);
                }
            }
        }
        self.fault.is_none()
    }

    /// The first fault is the one that is told.
    fn fail(&mut self, at: usize, text: &str, fault: PgnFault) {
        if self.fault.is_none() {
            let ply = 1 + self.open.first().map_or(0, |open| open.line.moves.len());
            self.fault = Some(Found { at, ply, text: excerpt(text).to_owned(), fault });
        }
    }
}
