//! The labels of a block of consecutive games, encoded and decoded.
//!
//! All numbers are in little-endian. For each game:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | bytes of the game after this field |
//! | 4 | number of labels |
//! | 32 | start position, a packed board of viriformat. Byte 30 is the result: 0 Black won, 1 draw, 2 White won, 3 unknown |
//! | rest | the positions of the game up to the last one with a label |
//!
//! For each position: one byte with the number of its labels, the labels, and (except for the last
//! position) two bytes with the move to the next one. For each label:
//!
//! | bytes | content |
//! |---|---|
//! | 1 | low half: number of moves that follow; high half: number of moves before them, taken from the line of the label before |
//! | 2 each | moves, in kibitzer's 16-bit code |
//! | 2 | score in centipawns, from White's point of view |

use anyhow::{Context, Result};
use kibitzer::chess::{Move, Position};

use super::line::{Line, MAX_PLIES};
use crate::game_layout::{PACKED_BYTES, RESULT_OFFSET};
use crate::packed_board;
use crate::sample::{GameResult, Sample};

/// The result of a game whose result is unknown.
const UNKNOWN_RESULT: u8 = 3;

/// Labels of one position, which a byte counts.
pub(super) const MOST_LABELS: usize = 255;

/// A label: a relative of a seed with its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) line: Line,
    pub(super) score: i16,
}

/// An encoded game.
pub(super) struct GameEncoder {
    bytes: Vec<u8>,
    /// The length up to the last position with a label.
    labelled: usize,
    labels: u32,
}

impl GameEncoder {
    pub(super) fn new(start: &[u8; PACKED_BYTES], result_is_known: bool) -> GameEncoder {
        let mut bytes = vec![0; 8];
        bytes.extend(start);
        if !result_is_known {
            bytes[8 + RESULT_OFFSET] = UNKNOWN_RESULT;
        }
        GameEncoder { labelled: bytes.len(), bytes, labels: 0 }
    }

    /// Adds the labels of the next position.
    pub(super) fn add_position(&mut self, labels: &[Label]) {
        self.bytes.push(labels.len().min(MOST_LABELS) as u8);
        let mut before = Line::EMPTY;
        for Label { line, score } in labels.iter().take(MOST_LABELS) {
            let kept = line.common_plies(&before);
            let moves = &line.moves()[kept..];
            self.bytes.push((kept << 4 | moves.len()) as u8);
            for mv in moves {
                self.bytes.extend(mv.code().to_le_bytes());
            }
            self.bytes.extend(score.to_le_bytes());
            self.labels += 1;
            before = *line;
        }
        if !labels.is_empty() {
            self.labelled = self.bytes.len();
        }
    }

    /// Adds the move to the next position.
    pub(super) fn add_move(&mut self, mv: Move) {
        self.bytes.extend(mv.code().to_le_bytes());
    }

    /// Appends the game to the bytes of a block, and returns its number of labels.
    pub(super) fn finish(mut self, block: &mut Vec<u8>) -> u32 {
        self.bytes.truncate(self.labelled);
        let length = (self.bytes.len() - 4) as u32;
        self.bytes[..4].copy_from_slice(&length.to_le_bytes());
        self.bytes[4..8].copy_from_slice(&self.labels.to_le_bytes());
        block.extend(self.bytes);
        self.labels
    }
}

/// The labels of one game in a block.
#[derive(Clone, Copy, Debug)]
pub struct LabelledGame<'a> {
    /// Number of labels.
    pub labels: u32,
    start: &'a [u8; PACKED_BYTES],
    positions: &'a [u8],
}

impl<'a> LabelledGame<'a> {
    /// Splits the first game off the bytes of a block.
    pub(super) fn split_off(bytes: &mut &'a [u8]) -> Result<LabelledGame<'a>> {
        let ends_early = "the block ends within a game";
        let length = u32::from_le_bytes(take(bytes).context(ends_early)?) as usize;
        let mut game = bytes.split_off(..length).context(ends_early)?;
        let labels = u32::from_le_bytes(take(&mut game).context(ends_early)?);
        let (start, positions) = game.split_first_chunk().context(ends_early)?;
        Ok(LabelledGame { labels, start, positions })
    }

    /// Calls `visit` with each label as a training sample. Only the positions of the game itself
    /// have its result. It says little about a position after a random move.
    ///
    /// # Errors
    ///
    /// When the start position or the encoding is invalid. Moves are not checked: the checksum of
    /// the block protects them.
    pub fn for_each_sample(&self, mut visit: impl FnMut(Sample)) -> Result<()> {
        let result = self.result()?;
        self.for_each_label(|position, plies, score| {
            let result = if plies == 0 { result } else { GameResult::Unknown };
            visit(Sample::from_position(position, score, result));
        })
    }

    /// The result from White's point of view.
    fn result(&self) -> Result<GameResult> {
        let code = self.start[RESULT_OFFSET];
        let results = [GameResult::Loss, GameResult::Draw, GameResult::Win, GameResult::Unknown];
        results
            .get(usize::from(code))
            .copied()
            .with_context(|| format!("the result is {code}; it must be 0 to 3"))
    }

    /// Calls `visit` with the position of each label, its distance from the seed in plies, and the
    /// score for White.
    fn for_each_label(&self, mut visit: impl FnMut(&Position, usize, i16)) -> Result<()> {
        let mut bytes = self.positions;
        if bytes.is_empty() {
            return Ok(());
        }
        // The positions of the line of the label before; the first one is the seed.
        let mut line = vec![packed_board::unpack(self.start)?; MAX_PLIES + 1];
        loop {
            let [labels] = take(&mut bytes).context("the game ends within a position")?;
            for _ in 0..labels {
                let (plies, score) =
                    read_label(&mut bytes, &mut line).context("the game has a damaged label")?;
                visit(&line[plies], plies, score);
            }
            if bytes.is_empty() {
                return Ok(());
            }
            let code = take(&mut bytes).context("the game ends within a move")?;
            line[0].play(Move::from_code(u16::from_le_bytes(code)));
        }
    }
}

/// Reads a label, plays its moves, and returns the number of its plies and its score.
fn read_label(bytes: &mut &[u8], line: &mut [Position]) -> Option<(usize, i16)> {
    let [plies] = take(bytes)?;
    let (kept, added) = (usize::from(plies >> 4), usize::from(plies & 15));
    let depth = kept + added;
    let path = line.get_mut(kept..=depth)?;
    for ply in 0..added {
        let mv = Move::from_code(u16::from_le_bytes(take(bytes)?));
        let (before, after) = path.split_at_mut(ply + 1);
        before[ply].after_into(mv, &mut after[0]);
    }
    Some((depth, i16::from_le_bytes(take(bytes)?)))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}
