//! The source files of opening names, and the compact text made from them.

use std::path::Path;

use kibitzer::chess::pgn::PgnReader;
use kibitzer::chess::{Move, Position, to_san};

/// The comment at the start of the text.
const HEADER: &str = "\
# Names of openings, from https://github.com/lichess-org/chess-openings, public domain (CC0 1.0).
# Made by tests/openings: plies kept from the line above, moves that follow, ECO code, name.
";

/// A named line of moves.
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
                read_line(line)
                    .ok_or_else(|| format!("{file}: `{line}` is not `eco, name, pgn`"))?,
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

/// The compact text: the lines sorted by their moves, each without the plies it shares with the
/// line above.
pub(crate) fn compact(named: &[NamedLine]) -> String {
    let mut lines: Vec<(Vec<String>, &NamedLine)> =
        named.iter().map(|named| (san(&named.moves), named)).collect();
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    let mut text = HEADER.to_owned();
    let mut above: &[String] = &[];
    for (moves, NamedLine { eco, name, .. }) in &lines {
        // Only the end of a line names a position, so a line keeps at least its last move.
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
