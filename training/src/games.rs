//! Reads viriformat game files.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use viriformat::chess::board::Board;
use viriformat::chess::chessmove::Move;
use viriformat::dataformat::Game;

use crate::sample::GameResult;

/// Bytes of a game's start position.
const START_BYTES: usize = 32;
/// Where the result stands in the start position: 0 Black won, 1 draw, 2 White won.
const RESULT_OFFSET: usize = 30;
/// Where its half-move clock stands.
const CLOCK_OFFSET: usize = 25;
/// Bytes of one move with its score; four zero bytes end a game.
const MOVE_BYTES: usize = 4;

/// The bytes of each game of a file.
///
/// # Errors
///
/// When the last game has no end.
pub fn split(bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut games = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let number = games.len();
        let moves = rest
            .get(START_BYTES..)
            .with_context(|| format!("game {number} is cut off in its start position"))?;
        let length = moves
            .chunks_exact(MOVE_BYTES)
            .position(|entry| entry == [0; MOVE_BYTES])
            .with_context(|| format!("game {number} has no end"))?;
        let (game, after) = rest.split_at(START_BYTES + MOVE_BYTES * (length + 1));
        games.push(game);
        rest = after;
    }
    Ok(games)
}

/// Calls `visit` with every position of one game, the move played in it, its score (centipawns) and
/// the game's result, both from White's side.
///
/// # Errors
///
/// When the bytes are no game: a start position that is none, a result that is none, a move that
/// cannot be played.
pub fn visit(bytes: &[u8], mut visit: impl FnMut(&Board, Move, i16, GameResult)) -> Result<()> {
    let result = match bytes.get(RESULT_OFFSET) {
        Some(0) => GameResult::Loss,
        Some(1) => GameResult::Draw,
        Some(2) => GameResult::Win,
        other => bail!("{other:?} is no result"),
    };
    check_start(bytes)?;
    // The clock plays no part here, and some games begin beyond what viriformat takes for possible.
    let mut bytes = bytes.to_vec();
    bytes[CLOCK_OFFSET] = 0;
    let game = Game::deserialise_from(&mut bytes.as_slice(), Vec::new())?;
    let mut board = game.initial_position();
    let opponent = board.turn().flip();
    ensure!(
        !board.sq_attacked(board.king_sq(opponent), board.turn()),
        "the side that has moved is in check"
    );
    for (mv, score) in &game.moves {
        ensure!(board.is_pseudo_legal(*mv), "{mv:?} cannot be played in {board}");
        visit(&board, *mv, score.get(), result);
        ensure!(board.make_move_simple(*mv), "{mv:?} leaves the king in check in {board}");
    }
    Ok(())
}

/// What unpacking a start position relies on: at most 32 pieces of known kinds, one king a side.
fn check_start(bytes: &[u8]) -> Result<()> {
    let start = bytes.get(..START_BYTES).context("no start position")?;
    let occupied = start[..8].iter().map(|byte| byte.count_ones()).sum::<u32>() as usize;
    ensure!(occupied <= 32, "{occupied} pieces on the board");
    let code = |i: usize| start[8 + i / 2] >> (4 * (i % 2)) & 15;
    ensure!((0..occupied).all(|i| code(i) & 7 != 7), "a piece of no known kind");
    for king in [5, 13] {
        ensure!(
            (0..occupied).filter(|i| code(*i) == king).count() == 1,
            "a side without exactly one king"
        );
    }
    Ok(())
}

/// Reads a whole file.
///
/// # Errors
///
/// When the file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
