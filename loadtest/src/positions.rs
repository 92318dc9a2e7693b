//! The positions of the requests: random ones, or those of a file.

use std::collections::HashSet;
use std::path::Path;

use crate::error::LoadError;
use kibitzer::chess::{Position, parse_fen, splitmix};

/// Length of a random game in plies: at least `MIN_PLIES`, and fewer than `EXTRA_PLIES` more.
const MIN_PLIES: usize = 6;
const EXTRA_PLIES: usize = 50;

/// Different positions of random games from the start position, as FENs. The games are not over. A
/// seed always gives the same positions.
pub fn random_positions(count: usize, seed: u64) -> Vec<String> {
    let mut random_index = 0;
    let mut random_below = |end: usize| {
        random_index += 1;
        // The remainder favours small numbers by less than one in 2⁵⁰.
        (splitmix::nth(seed, random_index) % end as u64) as usize
    };
    let mut seen = HashSet::with_capacity(count);
    let mut fens = Vec::with_capacity(count);
    while fens.len() < count {
        let mut position = Position::startpos();
        for _ in 0..MIN_PLIES + random_below(EXTRA_PLIES) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[random_below(moves.len())]);
        }
        if position.has_moves() && seen.insert(position.key()) {
            fens.push(position.fen());
        }
    }
    fens
}

/// The positions of a file with one FEN or EPD per line, as FENs. Blank lines are skipped.
///
/// # Errors
///
/// The file cannot be read, has no positions, or has a line that is not a position.
pub fn read_positions(path: &Path) -> Result<Vec<String>, LoadError> {
    let file = || path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| LoadError::File(file(), error))?;
    let mut fens = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fen = fen_fields(line);
        let reading = parse_fen(&fen).map_err(|error| LoadError::Position {
            file: file(),
            line: index + 1,
            error,
        })?;
        fens.push(reading.position.fen());
    }
    if fens.is_empty() { Err(LoadError::NoPositions(file())) } else { Ok(fens) }
}

/// The six fields of a FEN, or the four fields of an EPD before its operations.
fn fen_fields(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let has_clocks = words.len() >= 6
        && words[4..6].iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    words[..words.len().min(if has_clocks { 6 } else { 4 })].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_the_positions_and_all_are_different() {
        let fens = random_positions(300, 1);
        assert_eq!(fens, random_positions(300, 1));
        assert_ne!(fens, random_positions(300, 2));
        assert_eq!(fens.iter().collect::<HashSet<_>>().len(), 300);
    }

    #[test]
    fn an_epd_line_yields_its_position() {
        const BOARD: &str = "4k3/8/8/8/8/8/8/R3K3 w Q -";
        for (line, fen) in [
            (format!("{BOARD} bm Ra8+; id \"1\";"), BOARD.to_owned()),
            (format!("{BOARD} 3 40"), format!("{BOARD} 3 40")),
            (format!("{BOARD} 3 40 ;D1 20"), format!("{BOARD} 3 40")),
        ] {
            assert_eq!(fen_fields(&line), fen);
        }
    }
}
