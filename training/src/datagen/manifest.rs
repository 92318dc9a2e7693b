//! The manifest of a run: the settings that determine its games, in a file beside them.

use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::DatagenError;
use kibitzer::engine::{Engine, Network};

/// The settings that determine the games, besides seed and worker. All games of a run have the same
/// ones.
///
/// A folder has one manifest per seed, `SEED.json`, written before the first game. If games exist
/// without a manifest, the next run writes its own settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Nodes per move.
    pub nodes: u64,
    /// Transposition table of each worker, in MiB.
    pub hash_mb: usize,
    /// [`Manifest::RULES_VERSION`].
    pub rules: u32,
    /// The engine that plays.
    pub engine: EngineIdentity,
    /// The opening book; `None` for the start position.
    pub book: Option<Book>,
    /// Random moves at the start.
    pub random_plies: u32,
    /// Largest first score of an opening, in linear centipawns.
    pub most_at_start: u32,
}

/// The identity of the engine that plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EngineIdentity {
    /// Our own engine of this build. Another search or network plays other games.
    Kibitzer {
        /// [`Engine::VERSION`].
        version: String,
        /// [`Engine::SIGNATURE`].
        signature: String,
        /// Id of the network.
        network: String,
    },
    /// A UCI engine by its path. A change of the program at this path is not detected.
    Uci(PathBuf),
}

impl EngineIdentity {
    /// The engine at a path, or our own.
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

/// An opening book, identified by its content.
#[derive(Clone, Debug, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// File name when it was read, for people.
    pub file: String,
    /// SHA-256 digest of its bytes, in hexadecimal digits.
    pub sha256: String,
}

impl PartialEq for Book {
    fn eq(&self, other: &Book) -> bool {
        self.sha256 == other.sha256
    }
}

impl Manifest {
    /// Version of the rules for openings and adjudication. It increases with every change of them.
    pub const RULES_VERSION: u32 = 2;

    /// Reads the manifest of a seed; `None` when there is no file.
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

    /// Writes the manifest atomically: after a crash there is a whole file or none.
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

    /// Fails when the requested settings differ from this manifest of the existing games.
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
            Some((setting, recorded, requested)) => Err(DatagenError::SettingsMismatch {
                path: manifest_path(folder, seed),
                seed,
                setting,
                recorded,
                requested,
            }),
        }
    }
}

/// The setting with both values, if they differ.
fn difference<T: PartialEq>(
    setting: &'static str,
    recorded: &T,
    requested: &T,
    describe: impl Fn(&T) -> String,
) -> Option<(&'static str, String, String)> {
    (recorded != requested).then(|| (setting, describe(recorded), describe(requested)))
}

fn describe_or<T>(value: Option<&T>, text: impl Fn(&T) -> String, fallback: &str) -> String {
    value.map_or(fallback.to_owned(), text)
}

fn manifest_path(folder: &Path, seed: u64) -> PathBuf {
    folder.join(format!("{seed}.json"))
}
