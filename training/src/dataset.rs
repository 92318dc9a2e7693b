//! Every position that is learned from, and those held out.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::games;
use crate::sample::{GameResult, Sample};

/// Where positions come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
pub struct Sources {
    /// viriformat game files
    #[arg(long, num_args = 1.., required = true)]
    pub data: Vec<PathBuf>,
    /// Files (by name, without folder) whose results are unknown: the score alone is the target
    #[arg(long, num_args = 0.., default_value = "masters.vf")]
    pub unknown_results: Vec<String>,
    /// One of this many games is held out to measure the loss on; 0 holds out none
    #[arg(long, default_value_t = 100)]
    pub hold_out: u32,
    #[command(flatten)]
    #[serde(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would become the heading of the command's help"
    )]
    pub filter: Filter,
}

/// What one file gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStats {
    /// The file.
    pub path: PathBuf,
    /// Games in it.
    pub games: usize,
    /// Positions in it.
    pub positions: usize,
    /// Positions that the filter kept, held-out ones included.
    pub kept: usize,
}

/// Positions in memory, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// Positions to learn from.
    pub training: Vec<Sample>,
    /// Positions of held-out games.
    pub validation: Vec<Sample>,
    /// What each file gave.
    pub files: Vec<FileStats>,
}

/// Games decoded by one task.
const GAMES_PER_TASK: usize = 1024;

impl Dataset {
    /// Reads and filters all files.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or a damaged game in it.
    pub fn load(sources: &Sources) -> Result<Self> {
        let mut dataset = Self::default();
        for path in &sources.data {
            dataset.add_file(path, sources)?;
        }
        Ok(dataset)
    }

    fn add_file(&mut self, path: &Path, sources: &Sources) -> Result<()> {
        let bytes = games::read(path)?;
        let games = games::split(&bytes).with_context(|| path.display().to_string())?;
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let unknown = sources.unknown_results.contains(&name);

        let parts: Vec<DatasetPart> = games
            .par_chunks(GAMES_PER_TASK)
            .enumerate()
            .map(|(chunk, games)| {
                let mut part = DatasetPart::default();
                for (i, game) in games.iter().enumerate() {
                    let number = chunk * GAMES_PER_TASK + i;
                    let held_out = is_held_out(&name, number, sources.hold_out);
                    part.add_game(game, held_out, unknown, &sources.filter)
                        .with_context(|| format!("{}, game {number}", path.display()))?;
                }
                Ok(part)
            })
            .collect::<Result<_>>()?;

        let before = self.training.len() + self.validation.len();
        let positions = parts.iter().map(|part| part.positions).sum();
        for part in parts {
            self.training.extend(part.training);
            self.validation.extend(part.validation);
        }
        let kept = self.training.len() + self.validation.len() - before;
        self.files.push(FileStats { path: path.to_owned(), games: games.len(), positions, kept });
        Ok(())
    }
}

/// What one task decoded.
#[derive(Default)]
struct DatasetPart {
    training: Vec<Sample>,
    validation: Vec<Sample>,
    positions: usize,
}

impl DatasetPart {
    fn add_game(
        &mut self,
        game: &[u8],
        held_out: bool,
        unknown: bool,
        filter: &Filter,
    ) -> Result<()> {
        let into = if held_out { &mut self.validation } else { &mut self.training };
        let positions = &mut self.positions;
        games::visit(game, |board, mv, score, result| {
            *positions += 1;
            if filter.keeps(board, mv, score) {
                into.push(Sample::new(
                    board,
                    score,
                    if unknown { GameResult::Unknown } else { result },
                ));
            }
        })
    }
}

/// Whole games are held out, chosen by a hash of the file's name and the game's number: the same
/// games whatever other files join in.
#[must_use]
pub fn is_held_out(name: &str, game: usize, one_of: u32) -> bool {
    one_of > 0 && fold_of(name, game, one_of) == 0
}

/// Which of so many folds, at least one, a game belongs to. FNV-1a, a simple hash with a fixed
/// definition: `label/label.cpp` computes it too.
#[must_use]
pub fn fold_of(name: &str, game: usize, folds: u32) -> u32 {
    let hash =
        name.bytes().chain(game.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    ((hash >> 32) % u64::from(folds)) as u32
}
