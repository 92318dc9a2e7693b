//! The selection of training positions: the filter, the known results and the held-out games.

use serde::{Deserialize, Serialize};

use crate::filter::Filter;

/// Which positions of the data count, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
#[allow(
    missing_docs,
    reason = "doc comments on flattened groups would become the heading of the command's help"
)]
pub struct Selection {
    /// Files (by name, without folder) whose results are unknown: the score alone is the target. Of
    /// a label file, the name of its game file counts
    #[arg(long, num_args = 0.., default_value = "masters.vf")]
    pub unknown_results: Vec<String>,
    /// One of this many games is held out to measure the loss on; 0 holds out none
    #[arg(long, default_value_t = 100)]
    pub hold_out: u32,
    #[command(flatten)]
    #[serde(flatten)]
    pub filter: Filter,
}

/// Games to decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Games {
    /// All games.
    All,
    /// The games to train on.
    Training,
    /// The held-out games.
    HeldOut,
}

impl Games {
    /// Whether these are some of the games.
    #[must_use]
    pub fn include(self, is_held_out: bool) -> bool {
        match self {
            Games::All => true,
            Games::Training => !is_held_out,
            Games::HeldOut => is_held_out,
        }
    }
}

/// Whether a game is held out. A hash of the file's name and the game's number selects whole games,
/// independently of the other files.
#[must_use]
pub fn is_held_out(name: &str, game: usize, one_of: u32) -> bool {
    one_of > 0 && fold_of(name, game, one_of) == 0
}

/// The fold of a game, from 0 to `folds` − 1; `folds` is at least 1. The hash is FNV-1a, which is
/// simple and frozen: another would hold out games that networks have already been trained on.
#[must_use]
pub fn fold_of(name: &str, game: usize, folds: u32) -> u32 {
    let hash =
        name.bytes().chain(game.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    ((hash >> 32) % u64::from(folds)) as u32
}
