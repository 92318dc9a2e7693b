//! What decides the games of a run, kept beside them.

use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::DatagenError;
use kibitzer::engine::{Engine, Network};

/// What decides the games, beside seed and worker: with another one the same run would hold games
/// of two kinds.
///
/// A folder has one for each seed, `SEED.json`, written before the first game. A run whose games
/// lie there without one takes them for games of its own settings, and writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Nodes a move.
    pub nodes: u64,
    /// The table of each worker's engine, in MiB.
    pub hash_mb: usize,
    /// [`Recipe::RULES`].
    pub rules: u32,
    /// Who plays.
    pub engine: EngineIdentity,
    /// Where games begin; none is the start position.
    pub book: Option<Book>,
    /// Moves by chance from there.
    pub random_plies: u32,
    /// The first score lies within so many linear centipawns.
    pub most_at_start: u32,
}

/// Whose games they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EngineIdentity {
    /// Our own engine, of this build: another search or network plays other games.
    Kibitzer {
        /// [`Engine::VERSION`].
        version: String,
        /// [`Engine::SIGNATURE`].
        signature: String,
        /// The id of the network.
        network: String,
    },
    /// A UCI engine, as it was named. What lies at this path may change; its owner knows.
    Uci(PathBuf),
}

impl EngineIdentity {
    /// The engine at a path; without one our own.
    pub fn new(engine: Option<&Path>) -> EngineIdentity {
        match engine {
            Some(path) => EngineIdentity::Uci(path.to_owned()),
            None => EngineIdentity::Kibitzer {
                version: Engine::VERSION.to_owned(),
                signature: Engine::SIGNATURE.to_owned(),
                network: Network::embedded().id().to_owned(),
            },
        }
    }
}

impl fmt::Display for EngineIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineIdentity::Kibitzer { version, signature, network } => {
                write!(f, "kibitzer {version} (signature {signature}, network {network})")
            }
            EngineIdentity::Uci(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The file that openings come from. Its bytes count, not its name.
#[derive(Clone, Debug, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// Its name when it was read, for people.
    pub file: String,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
}

impl PartialEq for Book {
    fn eq(&self, other: &Book) -> bool {
        self.sha256 == other.sha256
    }
}

impl Manifest {
    /// How openings are drawn and games end in this build. Another number is due whenever that
    /// changes.
    pub const RULES_VERSION: u32 = 1;

    /// The recipe of the games that a folder holds of a seed; `None` when there is no file of it.
    pub(super) fn read(folder: &Path, seed: u64) -> Result<Option<Manifest>, DatagenError> {
        let path = manifest_path(folder, seed);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|error| DatagenError::InvalidManifest { path, detail: error.to_string() }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(DatagenError::io(path, error)),
        }
    }

    /// Writes the recipe beside the games: a process that ends meanwhile leaves all of the file or
    /// nothing.
    pub(super) fn write(&self, folder: &Path, seed: u64) -> Result<(), DatagenError> {
        let path = manifest_path(folder, seed);
        let temp_path = path.with_extension("json.part");
        let written =
            serde_json::to_string_pretty(self).map_err(std::io::Error::from).and_then(|text| {
                let mut file = File::create(&temp_path)?;
                writeln!(file, "{text}")?;
                file.sync_all()?;
                fs::rename(&temp_path, &path)
            });
        written.map_err(|error| DatagenError::io(path, error))
    }

    /// Refuses another recipe than this one, by which games of a seed were made.
    pub(super) fn check_matches(
        &self,
        requested: &Manifest,
        folder: &Path,
        seed: u64,
    ) -> Result<(), DatagenError> {
        let describe_book = |Book { file, sha256 }: &Book| {
            format!("{file} (SHA-256 {})", sha256.get(..12).unwrap_or(sha256))
        };
        let differences = [
            difference("rules of play", &self.rules, &requested.rules, u32::to_string),
            difference("--nodes", &self.nodes, &requested.nodes, u64::to_string),
            difference("--hash", &self.hash_mb, &requested.hash_mb, usize::to_string),
            difference("--engine", &self.engine, &requested.engine, EngineIdentity::to_string),
            difference("--book", &self.book, &requested.book, |book| {
                describe_or(book.as_ref(), describe_book, "no book")
            }),
            difference(
                "--random-plies",
                &self.random_plies,
                &requested.random_plies,
                u32::to_string,
            ),
            difference(
                "--most-at-start",
                &self.most_at_start,
                &requested.most_at_start,
                u32::to_string,
            ),
        ];
        match differences.into_iter().flatten().next() {
            None => Ok(()),
            Some((setting, made, asked)) => Err(DatagenError::SettingsMismatch {
                path: manifest_path(folder, seed),
                seed,
                setting,
                made,
                asked,
            }),
        }
    }
}

/// The setting and both of its values, where they are not the same.
fn difference<T: PartialEq>(
    setting: &'static str,
    made: &T,
    requested: &T,
    describe: impl Fn(&T) -> String,
) -> Option<(&'static str, String, String)> {
    (made != requested).then(|| (setting, describe(made), describe(requested)))
}

fn describe_or<T>(value: Option<&T>, text: impl Fn(&T) -> String, fallback: &str) -> String {
    value.map_or(fallback.to_owned(), text)
}

fn manifest_path(folder: &Path, seed: u64) -> PathBuf {
    folder.join(format!("{seed}.json"))
}
