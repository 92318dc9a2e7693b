//! Builder of a game from the tokens of its text.

use std::borrow::Cow;

use super::game::{append_word, normalize_comment};
use super::lexer::Token;
use super::movetext::{
    is_null_move, is_redundant_annotation, normalize_word, parse_lenient_move, strip_move_number,
};
use super::{
    GameResult, Headers, Line, MAX_ALL_HEADERS_BYTES, MAX_GAME_MOVES, MAX_HEADER_BYTES,
    MAX_HEADERS, MAX_NESTING, PgnErrorKind, PgnGame, PgnMove, nag,
};
use crate::chess::{Move, Position, excerpt};

/// A game under construction.
#[derive(Debug, Default)]
pub(super) struct GameBuilder {
    headers: Headers,
    /// The length of all headers so far.
    header_bytes: usize,
    /// A token other than a header has been added.
    past_headers: bool,
    /// The byte offset of the last `FEN` or `Variant` header.
    start_offset: usize,
    /// The comment before the first move.
    comment: String,
    start: Option<Position>,
    /// The stack of open lines: the main line, then the nested variations. Empty before the first
    /// move.
    open_lines: Vec<OpenLine>,
    /// The number of open parentheses. If it is not less than the number of open lines, tokens are
    /// skipped.
    depth: usize,
    /// The number of moves in all lines.
    move_count: usize,
    result: Option<GameResult>,
    error: Option<LocatedError>,
}

/// An error with its byte offset.
#[derive(Debug)]
pub(super) struct LocatedError {
    pub(super) offset: usize,
    pub(super) ply: usize,
    pub(super) text: String,
    pub(super) kind: PgnErrorKind,
}

/// A line under construction.
#[derive(Debug)]
struct OpenLine {
    line: Line,
    /// The position after the last move.
    position: Position,
    /// The position before the last move.
    before_last_move: Option<Position>,
}

impl OpenLine {
    fn new(position: Position, comment: String) -> OpenLine {
        OpenLine { line: Line { comment, moves: Vec::new() }, position, before_last_move: None }
    }

    fn play(&mut self, mv: Move) {
        let before = self.before_last_move.get_or_insert_with(|| self.position.clone());
        self.position.after_into(mv, before);
        std::mem::swap(&mut self.position, before);
        self.line.moves.push(PgnMove::new(mv));
    }
}

impl GameBuilder {
    /// `true` when the token belongs to the next game.
    pub(super) fn starts_next_game(&self, token: &Token) -> bool {
        match token {
            Token::Header { name, after_blank_line, .. } => {
                let is_next_event = *after_blank_line && name.eq_ignore_ascii_case("Event");
                self.past_headers || (is_next_event && self.headers.get(name).is_some())
            }
            Token::Word(word) => {
                let is_trailing = *word == "-" || GameResult::parse(word).is_some();
                self.result.is_some() && self.depth == 0 && !is_trailing
            }
            Token::Comment(_)
            | Token::UnclosedComment(_)
            | Token::OpenParen
            | Token::CloseParen
            | Token::Nag(_) => false,
        }
    }

    /// Adds a token that starts at a byte offset of the text.
    pub(super) fn add_token(&mut self, offset: usize, token: Token) {
        // A comment before all headers is about the file and not about the game.
        self.past_headers |= match token {
            Token::Header { .. } => false,
            Token::Comment(_) => !self.headers.is_empty(),
            _ => true,
        };
        match token {
            Token::Header { name, value, .. } => self.add_header(offset, name, &value),
            Token::Comment(text) => self.add_comment(text),
            Token::UnclosedComment(text) if self.result.is_some() => self.add_comment(text),
            Token::UnclosedComment(text) => {
                self.set_error(offset, text, PgnErrorKind::UnclosedComment)
            }
            Token::OpenParen => self.open_variation(offset),
            Token::CloseParen => self.close_variation(),
            Token::Nag(number) => self.add_nag(number),
            Token::Word(word) => self.add_word(offset, word),
        }
    }

    /// The game or its error; `None` if no token belongs to a game.
    pub(super) fn finish(mut self) -> Option<Result<PgnGame, (Headers, LocatedError)>> {
        if self.headers.is_empty()
            && self.move_count == 0
            && self.result.is_none()
            && self.error.is_none()
        {
            return None;
        }
        self.ensure_start();
        while self.open_lines.len() > 1 {
            self.end_variation();
        }
        let headers = self.headers;
        if let Some(error) = self.error {
            return Some(Err((headers, error)));
        }
        let line = self.open_lines.pop().map(|open| open.line).unwrap_or_default();
        let result =
            self.result.or_else(|| GameResult::parse(headers.get("Result")?)).unwrap_or_default();
        Some(Ok(PgnGame { headers, start: self.start?, line, result }))
    }

    fn add_header(&mut self, offset: usize, name: &str, value: &str) {
        let bytes = name.len() + value.len();
        if bytes > MAX_HEADER_BYTES {
            return self.set_error(offset, name, PgnErrorKind::HeaderTooLong);
        }
        self.header_bytes += bytes;
        let has_too_many = self.headers.len() == MAX_HEADERS && self.headers.get(name).is_none();
        if has_too_many || self.header_bytes > MAX_ALL_HEADERS_BYTES {
            return self.set_error(offset, name, PgnErrorKind::TooManyHeaders);
        }
        if name.eq_ignore_ascii_case("FEN") || name.eq_ignore_ascii_case("Variant") {
            self.start_offset = offset;
        }
        self.headers.set(name, value);
    }

    fn add_comment(&mut self, text: &str) {
        if self.error.is_some() || self.is_skipping() {
            return;
        }
        match self.open_lines.last_mut() {
            None => append_word(&mut self.comment, &normalize_comment(text)),
            Some(OpenLine { line, .. }) => match line.moves.last_mut() {
                Some(mv) => mv.add_comment(text),
                None => append_word(&mut line.comment, &normalize_comment(text)),
            },
        }
    }

    fn add_nag(&mut self, number: u8) {
        if number > 0
            && self.result.is_none()
            && !self.is_skipping()
            && let Some(mv) = self.open_lines.last_mut().and_then(|open| open.line.moves.last_mut())
        {
            mv.add_nag(number);
        }
    }

    fn open_variation(&mut self, offset: usize) {
        self.depth += 1;
        if self.result.is_some() || !self.ensure_start() || self.open_lines.len() < self.depth {
            return;
        }
        // A variation replaces the move before it. Without one it is skipped.
        if let Some(before) = self.open_lines.last().and_then(|open| open.before_last_move.clone())
        {
            if self.depth > MAX_NESTING {
                return self.set_error(offset, "(", PgnErrorKind::TooDeep);
            }
            self.open_lines.push(OpenLine::new(before, String::new()));
        }
    }

    fn close_variation(&mut self) {
        if self.depth > 0 {
            if self.open_lines.len() > self.depth {
                self.end_variation();
            }
            self.depth -= 1;
        }
    }

    /// Closes the innermost variation and adds it to the move before it.
    fn end_variation(&mut self) {
        if let Some(OpenLine { line, .. }) = self.open_lines.pop()
            && let Some(mv) = self.open_lines.last_mut().and_then(|open| open.line.moves.last_mut())
        {
            mv.add_variation(line);
        }
    }

    /// `true` inside parentheses whose tokens are skipped.
    fn is_skipping(&self) -> bool {
        self.depth > 0 && self.open_lines.len() <= self.depth
    }

    fn add_word(&mut self, offset: usize, word: &str) {
        if self.result.is_some() {
            return;
        }
        let ascii = normalize_word(word);
        if let Some(result) = GameResult::parse(&ascii) {
            self.result = (self.depth == 0).then_some(result);
            return;
        }
        let text = strip_move_number(&ascii);
        if text.is_empty()
            || is_redundant_annotation(text)
            || self.is_skipping()
            || !self.ensure_start()
        {
            return;
        }
        if is_null_move(text) {
            return self.reject_move(offset, word, PgnErrorKind::NullMove);
        }
        self.add_annotated_move(offset, word, text);
    }

    /// Adds a move with the symbols after it, or symbols alone.
    fn add_annotated_move(&mut self, offset: usize, word: &str, text: &str) {
        let mut nags: Vec<u8> = nag::from_letter(text).into_iter().collect();
        let mut text = if nags.is_empty() { text } else { "" };
        while let Some((shorter, nag)) = nag::split_symbol(text) {
            text = shorter;
            if !nags.contains(&nag) {
                nags.push(nag);
            }
        }
        if !text.is_empty() && !self.play(offset, word, text) {
            return;
        }
        // The symbols were split off from the end, so they are in reverse order.
        nags.into_iter().rev().for_each(|nag| self.add_nag(nag));
    }

    /// Plays a move. Returns `false` if that is not possible.
    fn play(&mut self, offset: usize, word: &str, text: &str) -> bool {
        let Some(open) = self.open_lines.last_mut() else { return false };
        match parse_lenient_move(&open.position, text) {
            Ok(_) if self.move_count == MAX_GAME_MOVES => {
                self.set_error(offset, word, PgnErrorKind::TooManyMoves)
            }
            Ok(mv) => {
                open.play(mv);
                self.move_count += 1;
                return true;
            }
            Err(error) => self.reject_move(offset, word, PgnErrorKind::Move(error)),
        }
        false
    }

    /// Handles a word that is not a legal move. It is an error in the main line. In a variation,
    /// the rest of the variation is skipped.
    fn reject_move(&mut self, offset: usize, word: &str, kind: PgnErrorKind) {
        match self.depth {
            0 => self.set_error(offset, word, kind),
            _ => self.end_variation(),
        }
    }

    /// Sets the start position if it is missing. Returns `false` if the game has an error.
    fn ensure_start(&mut self) -> bool {
        if self.start.is_none() && self.error.is_none() {
            match self.headers.start_position() {
                Ok(start) => {
                    self.open_lines
                        .push(OpenLine::new(start.clone(), std::mem::take(&mut self.comment)));
                    self.start = Some(start);
                }
                Err((text, kind)) => {
                    let text = Cow::into_owned(text);
                    self.set_error(self.start_offset, &text, kind);
                }
            }
        }
        self.error.is_none()
    }

    /// Records an error. Only the first one is reported.
    fn set_error(&mut self, offset: usize, text: &str, kind: PgnErrorKind) {
        if self.error.is_none() {
            let ply = 1 + self.open_lines.first().map_or(0, |open| open.line.moves.len());
            self.error = Some(LocatedError { offset, ply, text: excerpt(text).to_owned(), kind });
        }
    }
}
