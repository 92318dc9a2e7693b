//! Positions of a file.

use std::fs;
use std::path::Path;

use kibitzer::chess::Position;

use crate::BenchResult;

/// So many, evenly spread over the file; legal, and with moves. Of a line the first four words
/// count.
pub(crate) fn sample(file: &Path, count: usize) -> BenchResult<Vec<Position>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < count {
        return Err(format!(
            "{} has {} positions; {count} are wanted",
            file.display(),
            lines.len()
        )
        .into());
    }
    (0..count).map(|index| read(lines[index * lines.len() / count])).collect()
}

fn read(line: &str) -> BenchResult<Position> {
    let fen: Vec<&str> = line.split_whitespace().take(4).collect();
    let position =
        Position::from_fen(&fen.join(" ")).map_err(|error| format!("{line}: {error}"))?;
    if position.has_moves() { Ok(position) } else { Err(format!("{line}: no moves").into()) }
}
