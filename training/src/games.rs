//! Reading of viriformat game files.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use rayon::prelude::*;
use viriformat::chess::board::Board;
use viriformat::chess::chessmove::Move;
use viriformat::dataformat::Game;

use crate::game_layout::{
    CLOCK_OFFSET, MOVE_BYTES, PACKED_BYTES, PIECES_OFFSET, RESULT_OFFSET, move_count,
};
use crate::sample::GameResult;

/// Games decoded by one task.
const GAMES_PER_TASK: usize = 1024;

/// The bytes of each game of a file.
///
/// # Errors
///
/// When the last game is incomplete.
pub fn split(bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut games = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let number = games.len();
        let moves = rest
            .get(PACKED_BYTES..)
            .with_context(|| format!("game {number} ends within its start position"))?;
        let length =
            move_count(moves).with_context(|| format!("game {number} has no end marker"))?;
        let (game, after) = rest.split_at(PACKED_BYTES + MOVE_BYTES * (length + 1));
        games.push(game);
        rest = after;
    }
    Ok(games)
}

/// Calls `visit` with every position of one game, the move played in it, its score (centipawns) and
/// the game's result. Score and result are from White's point of view.
///
/// # Errors
///
/// When the start position, the result or a move is invalid.
pub fn visit(bytes: &[u8], mut visit: impl FnMut(&Board, Move, i16, GameResult)) -> Result<()> {
    let result = match bytes.get(RESULT_OFFSET) {
        Some(0) => GameResult::Loss,
        Some(1) => GameResult::Draw,
        Some(2) => GameResult::Win,
        Some(other) => bail!("the result is {other}; it must be 0, 1 or 2"),
        None => bail!("the game ends within its start position"),
    };
    check_start(bytes)?;
    // The clock is not used here, and some games start above the limit that viriformat checks.
    let mut bytes = bytes.to_vec();
    bytes[CLOCK_OFFSET] = 0;
    let game = Game::deserialise_from(&mut bytes.as_slice(), Vec::new())?;
    let mut board = game.initial_position();
    let opponent = board.turn().flip();
    ensure!(
        !board.sq_attacked(board.king_sq(opponent), board.turn()),
        "the side that is not to move is in check"
    );
    for (mv, score) in &game.moves {
        ensure!(board.is_pseudo_legal(*mv), "{mv:?} is not pseudo-legal in {board}");
        visit(&board, *mv, score.get(), result);
        ensure!(board.make_move_simple(*mv), "{mv:?} leaves the king in check in {board}");
    }
    Ok(())
}

/// Checks what unpacking a start position relies on: at most 32 pieces of known kinds and one king
/// per side.
fn check_start(bytes: &[u8]) -> Result<()> {
    let start = bytes.get(..PACKED_BYTES).context("the game ends within its start position")?;
    let occupied =
        start[..PIECES_OFFSET].iter().map(|byte| byte.count_ones()).sum::<u32>() as usize;
    ensure!(occupied <= 32, "the start position has {occupied} pieces; it must have at most 32");
    let code = |i: usize| start[PIECES_OFFSET + i / 2] >> (4 * (i % 2)) & 15;
    ensure!((0..occupied).all(|i| code(i) & 7 != 7), "the start position has a piece of kind 7");
    for king in [5, 13] {
        let kings = (0..occupied).filter(|i| code(*i) == king).count();
        ensure!(kings == 1, "a side has {kings} kings; it must have one");
    }
    Ok(())
}

/// Decodes the games of a file in parallel.
///
/// Each task starts with `new()` and calls `add` with the number and the bytes of each of its
/// games. The results of the tasks come in the order of the games.
///
/// # Errors
///
/// When the file cannot be read, its last game is incomplete, or `add` fails for a game.
pub fn decode_file<T: Send>(
    path: &Path,
    new: impl Fn() -> T + Sync,
    add: impl Fn(&mut T, usize, &[u8]) -> Result<()> + Sync,
) -> Result<Vec<T>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let games = split(&bytes).with_context(|| path.display().to_string())?;
    games
        .par_chunks(GAMES_PER_TASK)
        .enumerate()
        .map(|(chunk, games)| {
            let mut part = new();
            for (number, game) in (chunk * GAMES_PER_TASK..).zip(games) {
                add(&mut part, number, game)
                    .with_context(|| format!("{}, game {number}", path.display()))?;
            }
            Ok(part)
        })
        .collect()
}

/// The name of a file without its folder.
#[must_use]
pub fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
