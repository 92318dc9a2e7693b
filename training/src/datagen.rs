//! Games for training: an engine plays itself, and every move goes with its score into viriformat
//! files.
//!
//! A [`Generator`] plays on all cores. Each worker has a file and a row of games of its own, both
//! fixed by the seed: a run that was stopped goes on where it ended, and a run with more workers
//! plays other games, not the same again. What else decides the games is kept beside them as a
//! [`Recipe`], and a run by another one is refused. The format is that of the crate `viriformat`,
//! which the trainer reads by as well.

mod adjudication;
mod error;
mod game_file;
mod generator;
mod manifest;
mod opening;
mod packed_start;
mod player;
mod training_game;
mod uci_player;

pub use adjudication::Adjudication;
pub use error::DatagenError;
pub use game_file::GameFile;
pub use generator::{DatagenSettings, Generator, Progress};
pub use manifest::{Book, EngineIdentity, Manifest};
pub use opening::Openings;
pub use player::{KibitzerPlayer, Player, ScoredMove};
pub use training_game::TrainingGame;
pub use uci_player::UciPlayer;
