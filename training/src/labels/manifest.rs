//! The manifest of a label file: the settings that determine its labels.

use std::path::Path;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::thinning::Thinning;
use crate::games;

/// The settings that determine the labels of a file. The number of workers does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`Manifest::GENERATOR`].
    pub generator: u32,
    /// The evaluator's program.
    pub evaluator: Source,
    /// The games that the seeds come from.
    pub games: Source,
    /// Whether the results of the games are known.
    pub results_known: bool,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The share of the games' positions that are seeds.
    pub seed_share: f32,
    /// Relatives drawn for each seed.
    pub relatives: usize,
    /// Whether relatives are kept whatever their number of pieces.
    pub flat: bool,
    /// The thinning of decided positions.
    pub thin: Vec<Thinning>,
    /// Games of one block; the last block may have fewer.
    pub games_per_block: u32,
}

/// A file, identified by its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name without folder.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 digest of its bytes, in hexadecimal digits.
    pub sha256: String,
}

impl Source {
    /// The identity of a file with this content.
    #[must_use]
    pub fn new(path: &Path, content: &[u8]) -> Source {
        let sha256 = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        Source { file: games::file_name(path), bytes: content.len() as u64, sha256 }
    }
}

impl Manifest {
    /// Version of the rules by which relatives are drawn, thinned and ordered. It increases with
    /// every change of them.
    pub const GENERATOR: u32 = 1;

    /// Fails when the settings of a run differ from this manifest of the existing labels. The name
    /// of the evaluator does not count, that of the games does: random numbers depend on it.
    pub(super) fn check_matches(&self, requested: &Manifest) -> Result<()> {
        for ((name, recorded), (_, requested)) in self.settings().iter().zip(requested.settings()) {
            ensure!(
                *recorded == requested,
                "{name}: the labels were made with {recorded}, not with {requested}; \
                 use another folder"
            );
        }
        Ok(())
    }

    /// The settings by the names of the options.
    fn settings(&self) -> [(&'static str, String); 10] {
        let thin: Vec<String> = self.thin.iter().map(Thinning::to_string).collect();
        let games = &self.games;
        [
            ("version of the generator", self.generator.to_string()),
            ("--evaluator", format!("SHA-256 {}", self.evaluator.sha256)),
            ("--seeds", format!("{} ({} bytes, {})", games.file, games.bytes, games.sha256)),
            ("--unknown-results", format!("results known: {}", self.results_known)),
            ("--seed", self.seed.to_string()),
            ("--seed-share", self.seed_share.to_string()),
            ("--relatives", self.relatives.to_string()),
            ("--flat", self.flat.to_string()),
            ("--thin", thin.join(",")),
            ("games per block", self.games_per_block.to_string()),
        ]
    }
}
