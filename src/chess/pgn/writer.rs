//! PGN writer in the standard's export format.

use super::game::{append_word, normalize_comment};
use super::{GameResult, Line, PgnGame, PgnMove};
use crate::chess::{Move, Position, SanWriter};

/// The greatest length of a line in characters. A longer word gets a line alone.
const MAX_LINE_CHARS: usize = 80;

/// The headers that the standard requires, in its order, with their values for unknown data.
const TAG_ROSTER: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
];

/// Writes a game in the standard's export format: the Seven Tag Roster first, then moves with
/// comments, NAGs and variations, in lines of at most 80 characters. Reading the text again gives
/// the same game.
///
/// `Result`, `SetUp`, `FEN` and, for Chess960 castling rights, `Variant` follow from the game and
/// not from its headers. Separate two games by an empty line.
pub fn write(game: &PgnGame) -> String {
    let mut text = String::new();
    write_headers(&mut text, game);
    text.push('\n');
    let mut writer = MovetextWriter { text, column: 0, word: String::new(), joins_next: false };
    writer.write_line(&game.start, &game.line, game.start.fullmove_number().into());
    writer.write_word(game.result.as_str());
    writer.flush();
    writer.text.push('\n');
    writer.text
}

fn write_headers(text: &mut String, game: &PgnGame) {
    let headers = &game.headers;
    for (name, unknown) in TAG_ROSTER {
        write_header(text, name, headers.get(name).unwrap_or(unknown));
    }
    write_header(text, "Result", GameResult::as_str(game.result));
    let is_chess960 = game.start.is_chess960();
    if is_chess960 {
        write_header(text, "Variant", headers.get("Variant").unwrap_or("Chess960"));
    }
    if game.start != Position::startpos() {
        write_header(text, "SetUp", "1");
        write_header(text, "FEN", &game.start.fen());
    }
    let is_written = |name: &str| {
        let derived =
            ["Result", "SetUp", "FEN"].into_iter().chain(is_chess960.then_some("Variant"));
        derived
            .chain(TAG_ROSTER.map(|(name, _)| name))
            .any(|written| written.eq_ignore_ascii_case(name))
    };
    headers
        .iter()
        .filter(|(name, _)| !is_written(name))
        .for_each(|(name, value)| write_header(text, name, value));
}

fn write_header(text: &mut String, name: &str, value: &str) {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    text.push_str(&format!("[{name} \"{value}\"]\n"));
}

/// A writer of movetext with line breaks.
struct MovetextWriter {
    text: String,
    /// The number of characters in the last line.
    column: usize,
    /// The pending word. No line break may be inside it.
    word: String,
    /// The next text belongs to the pending word.
    joins_next: bool,
}

impl MovetextWriter {
    /// Starts a new word, or continues the pending one.
    fn write_word(&mut self, word: &str) {
        if !std::mem::take(&mut self.joins_next) {
            self.flush();
        }
        self.word.push_str(word);
    }

    /// Writes the pending word, on a new line if it does not fit.
    fn flush(&mut self) {
        let width = self.word.chars().count();
        if width == 0 {
            return;
        }
        if self.column > 0 {
            let fits = self.column + 1 + width <= MAX_LINE_CHARS;
            self.text.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.text.push_str(&self.word);
        self.column += width;
        self.word.clear();
    }

    /// Writes a line from a position, with the number of its first move.
    fn write_line(&mut self, start: &Position, line: &Line, number: usize) {
        self.write_comment(&line.comment);
        let mut position = start.clone();
        let mut number = number;
        let mut needs_number = true;
        for mv in &line.moves {
            self.write_move_number(&position, number, needs_number);
            self.write_move(&position, mv.mv());
            mv.nags().iter().for_each(|nag| self.write_word(&format!("${nag}")));
            self.write_comment(mv.comment());
            mv.variations()
                .iter()
                .for_each(|variation| self.write_variation(&position, variation, number));
            needs_number = interrupts_move_numbering(mv);
            number += usize::from(!position.turn().is_white());
            position.play(mv.mv());
        }
    }

    fn write_move_number(&mut self, position: &Position, number: usize, needs_number: bool) {
        if position.turn().is_white() {
            self.write_word(&format!("{number}."));
        } else if needs_number {
            self.write_word(&format!("{number}..."));
        }
    }

    fn write_move(&mut self, position: &Position, mv: Move) {
        let san = SanWriter::new(position).write(mv);
        // A move number and its move stay on one line.
        if self.word.ends_with('.') {
            append_word(&mut self.word, san.text.as_str());
        } else {
            self.write_word(san.text.as_str());
        }
    }

    fn write_variation(&mut self, start: &Position, line: &Line, number: usize) {
        self.write_word("(");
        self.joins_next = true;
        self.write_line(start, line, number);
        self.word.push(')');
    }

    fn write_comment(&mut self, comment: &str) {
        let comment = normalize_comment(comment);
        if comment.is_empty() {
            return;
        }
        self.write_word("{");
        let mut is_command = false;
        for word in comment.split(' ') {
            // Many readers take a line that starts with `[` or `%` for a header or an escaped line.
            // A command stays on one line.
            if is_command || word.starts_with(['[', '%']) {
                append_word(&mut self.word, word);
            } else {
                self.write_word(word);
            }
            is_command = (is_command || word.starts_with("[%")) && !word.contains(']');
        }
        self.write_word("}");
    }
}

/// `true` when a comment or variation separates the move from the next one, which then needs its
/// number.
fn interrupts_move_numbering(mv: &PgnMove) -> bool {
    !mv.comment().is_empty() || !mv.variations().is_empty()
}
