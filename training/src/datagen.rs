//! Self-play data: an engine plays itself, and every move is written with its score to viriformat
//! files.
//!
//! A [`Generator`] plays on all cores. Each worker has its own file and its own sequence of games,
//! both determined by the seed. So a stopped run resumes where it ended, and further workers play
//! different games. A [`Manifest`] beside the files keeps the other settings that determine the
//! games; a run with different settings is refused. The crate `viriformat`, with which the trainer
//! reads the files, defines the format.

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
