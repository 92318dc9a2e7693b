//! Games as text.

use super::game::{append_word, normalize_comment};
use super::{GameResult, Line, PgnGame, PgnMove};
use crate::chess::{Move, Position, SanWriter};

/// The longest line, in characters, unless one word alone is longer.
const MAX_LINE_CHARS: usize = 80;

/// The headers that the standard wants in every game, in its order, and what stands for what is not
/// known.
const TAG_ROSTER: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
];

/// Writes a game in the standard's export format: the Seven Tag Roster first, moves with comments,
/// glyphs and variations, in lines of 80 characters at most. What the reader made of a text comes
/// back the same when this is read again.
///
/// `Result`, `SetUp`, `FEN` and, where castling needs it, `Variant` say what the game is, whatever
/// its headers say. Between two games belongs an empty line.
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
        let own = ["Result", "SetUp", "FEN"].into_iter().chain(is_chess960.then_some("Variant"));
        own.chain(TAG_ROSTER.map(|(name, _)| name)).any(|known| known.eq_ignore_ascii_case(name))
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

/// Moves, broken into lines.
struct MovetextWriter {
    text: String,
    /// Characters of the last line.
    column: usize,
    /// The word that is put together: what must not be broken.
    word: String,
    /// What comes next belongs to that word.
    joins_next: bool,
}

impl MovetextWriter {
    /// Begins a word.
    fn write_word(&mut self, word: &str) {
        if !std::mem::take(&mut self.joins_next) {
            self.flush();
        }
        self.word.push_str(word);
    }

    /// Writes the word out, on a new line when it does not fit.
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

    /// A line from that position, with the number of its first move.
    fn write_line(&mut self, start: &Position, line: &Line, number: usize) {
        self.write_comment(&line.comment);
        let mut position = start.clone();
        let mut number = number;
        let mut needs_number = true;
        for mv in &line.moves {
            self.write_move_number(&position, number, needs_number);
            self.write_move(&position, mv.mv());
            mv.nags().iter().for_each(|glyph| self.write_word(&format!("${glyph}")));
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
        // A number stays on the line of its move.
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
            // A line that begins with one of these would be a header or an escaped line to many a
            // reader; a command stays in one piece.
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

/// `true` when Black's move must say its number because White's does not stand right before it.
fn interrupts_move_numbering(mv: &PgnMove) -> bool {
    !mv.comment().is_empty() || !mv.variations().is_empty()
}
