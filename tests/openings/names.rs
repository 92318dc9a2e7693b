//! The files of names, and the text that is made of them.

use std::path::Path;

use kibitzer::chess::pgn::PgnReader;
use kibitzer::chess::{Move, Position, to_san};

/// What stands on top of the text.
const HEADER: &str = "\
# Names of openings, from https://github.com/lichess-org/chess-openings, public domain (CC0 1.0).
# Made by tests/openings: plies kept from the line above, moves that follow, ECO code, name.
";

/// A line of moves with a name.
pub(crate) struct NamedLine {
    pub(crate) eco: String,
    pub(crate) name: String,
    pub(crate) moves: Vec<Move>,
}

/// All lines of the five files.
pub(crate) fn read(folder: &Path) -> Result<Vec<NamedLine>, String> {
    let mut named = Vec::new();
    for file in ["a.tsv", "b.tsv", "c.tsv", "d.tsv", "e.tsv"] {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        for line in text.lines().skip(1) {
            named.push(
                read_line(line).ok_or_else(|| format!("{file}: not `eco, name, pgn`: {line}"))?,
            );
        }
    }
    Ok(named)
}

fn read_line(line: &str) -> Option<NamedLine> {
    let mut fields = line.split('\t');
    let (eco, name, pgn) = (fields.next()?, fields.next()?, fields.next()?);
    let game = PgnReader::new(pgn).next()?.ok()?;
    let moves = game.line.moves.iter().map(|mv| mv.mv()).collect();
    Some(NamedLine { eco: eco.to_owned(), name: name.to_owned(), moves })
}

/// The text of the names: by their moves, each line with what differs from the one above.
pub(crate) fn compact(named: &[NamedLine]) -> String {
    let mut lines: Vec<(Vec<String>, &NamedLine)> =
        named.iter().map(|named| (san(&named.moves), named)).collect();
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    let mut text = HEADER.to_owned();
    let mut above: &[String] = &[];
    for (moves, NamedLine { eco, name, .. }) in &lines {
        // A position that a line reaches again is named by its end alone, so at least its last move
        // stands there.
        let kept = above.iter().zip(moves).take_while(|(a, b)| a == b).count().min(moves.len() - 1);
        text.push_str(&format!("{kept}\t{}\t{eco}\t{name}\n", moves[kept..].join(" ")));
        above = moves;
    }
    text
}

fn san(moves: &[Move]) -> Vec<String> {
    let mut position = Position::startpos();
    let mut texts = Vec::new();
    for &mv in moves {
        texts.push(to_san(&position, mv));
        position.play(mv);
    }
    texts
}
