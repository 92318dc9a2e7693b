//! The generator: workers that play until there are enough games.

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::adjudication::Adjudication;
use super::error::{DatagenError, MAX_OPENING_ATTEMPTS};
use super::game_file::{GameFile, game_file_path, game_files};
use super::manifest::{EngineIdentity, Manifest};
use super::opening::{Openings, SplitMix64};
use super::player::{KibitzerPlayer, Player};
use super::training_game::TrainingGame;
use super::uci_player::UciPlayer;
use kibitzer::chess::{Game, Position};
use kibitzer::engine::{RawScore, STACK_BYTES};

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct DatagenSettings {
    /// Folder of the game files.
    pub folder: PathBuf,
    /// Total number of games, including those already in the folder.
    pub games: u64,
    /// Nodes per move. Our own engine completes the iteration that reaches them.
    pub nodes: u64,
    /// Transposition table of each worker, in MiB.
    pub hash_mb: usize,
    /// Number of workers, each of which plays one game at a time.
    pub workers: u64,
    /// Seed of the openings.
    pub seed: u64,
    /// Path of a UCI engine that plays instead of our own.
    pub engine: Option<PathBuf>,
    /// Largest first score of an opening, in linear centipawns. Other openings are skipped.
    pub most_at_start: u32,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Games in the files.
    pub games: u64,
    /// Positions in the files.
    pub positions: u64,
    /// Positions added by this run.
    pub new_positions: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

/// A run of self-play games.
pub struct Generator {
    settings: DatagenSettings,
    openings: Openings,
    /// Games in the files, and games in progress.
    claimed_games: AtomicU64,
    games: AtomicU64,
    positions: AtomicU64,
    failed: AtomicBool,
}

/// Interval of the progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Interval of checking whether the workers have finished.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

impl Generator {
    /// Counts the existing games, and writes the manifest.
    ///
    /// # Errors
    ///
    /// The folder cannot be created, its files cannot be read, or the existing games of this seed
    /// have other settings.
    pub fn new(
        settings: DatagenSettings,
        mut openings: Openings,
    ) -> Result<Generator, DatagenError> {
        openings.shuffle(settings.seed);
        let folder = settings.folder.clone();
        std::fs::create_dir_all(&folder)
            .map_err(|error| DatagenError::io(folder.clone(), error))?;
        let files = game_files(&folder, settings.seed)?;
        let manifest = manifest(&settings, &openings);
        // A manifest without games is not binding. The files of a run with other settings are not
        // even opened.
        let existing =
            if any_nonempty(&files)? { Manifest::read(&folder, settings.seed)? } else { None };
        existing
            .iter()
            .try_for_each(|existing| existing.check_matches(&manifest, &folder, settings.seed))?;
        let (mut games, mut positions) = (0, 0);
        for path in files {
            let file = GameFile::open(&path)?;
            games += file.games();
            positions += file.positions();
        }
        if existing.is_none() {
            manifest.write(&folder, settings.seed)?;
        }
        Ok(Generator {
            settings,
            openings,
            claimed_games: AtomicU64::new(games),
            games: AtomicU64::new(games),
            positions: AtomicU64::new(positions),
            failed: AtomicBool::new(false),
        })
    }

    /// Plays until there are enough games, and reports the progress.
    ///
    /// # Errors
    ///
    /// A file cannot be written, or an engine fails. The games so far are kept.
    pub fn run(&self, on_progress: &mut dyn FnMut(Progress)) -> Result<Progress, DatagenError> {
        let started = Instant::now();
        let positions_before = self.positions.load(Ordering::Relaxed);
        let progress = || {
            let positions = self.positions.load(Ordering::Relaxed);
            let games = self.games.load(Ordering::Relaxed);
            Progress {
                games,
                positions,
                new_positions: positions - positions_before,
                elapsed: started.elapsed(),
            }
        };
        thread::scope(|scope| {
            let mut workers = Vec::new();
            for worker in 0..self.settings.workers {
                let thread = thread::Builder::new().stack_size(STACK_BYTES);
                match thread.spawn_scoped(scope, move || {
                    run_worker(&self.failed, || self.play_games(worker))
                }) {
                    Ok(handle) => workers.push(handle),
                    Err(error) => {
                        self.failed.store(true, Ordering::Relaxed);
                        return Err(DatagenError::NoThread { worker: worker + 1, source: error });
                    }
                }
            }
            let mut last_report = Instant::now();
            while !workers.iter().all(|worker| worker.is_finished()) {
                thread::sleep(POLL_INTERVAL);
                if last_report.elapsed() >= PROGRESS_INTERVAL {
                    last_report = Instant::now();
                    on_progress(progress());
                }
            }
            workers.into_iter().try_for_each(|worker| {
                worker.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
            })
        })?;
        Ok(progress())
    }

    /// Plays games into one file until there are enough, or until another worker has failed.
    fn play_games(&self, worker: u64) -> Result<(), DatagenError> {
        let DatagenSettings { folder, games, seed, .. } = &self.settings;
        let mut file = GameFile::open(&game_file_path(folder, *seed, worker))?;
        let mut player = self.player()?;
        while !self.failed.load(Ordering::Relaxed)
            && self.claimed_games.fetch_add(1, Ordering::Relaxed) < *games
        {
            let mut random = SplitMix64::new(*seed, worker, file.games());
            let start = self.openings.start_of(worker, file.games());
            let (bytes, positions) = self.play_game(player.as_mut(), start, &mut random)?;
            file.append(&bytes, positions)?;
            self.games.fetch_add(1, Ordering::Relaxed);
            self.positions.fetch_add(positions, Ordering::Relaxed);
        }
        Ok(())
    }

    fn player(&self) -> Result<Box<dyn Player>, DatagenError> {
        let DatagenSettings { hash_mb, nodes, .. } = self.settings;
        Ok(match &self.settings.engine {
            None => Box::new(KibitzerPlayer::new(hash_mb, nodes)?),
            Some(path) => Box::new(UciPlayer::start(path, hash_mb, nodes)?),
        })
    }

    /// Plays one game from a balanced opening, from this start position if possible. Returns its
    /// bytes and its number of positions.
    fn play_game(
        &self,
        player: &mut dyn Player,
        start: &Position,
        random: &mut SplitMix64,
    ) -> Result<(Vec<u8>, u64), DatagenError> {
        for attempt in 0..MAX_OPENING_ATTEMPTS {
            let start = if attempt == 0 { start } else { self.openings.random_start(random) };
            let Some(opening) = self.openings.play_random(start, random) else { continue };
            let mut game = Game::new(opening);
            let Some(mut training_game) = TrainingGame::new(game.position()) else { continue };
            let mut adjudication = Adjudication::default();
            player.new_game(&game)?;
            let result = loop {
                if let Some(result) = Adjudication::by_rule(&game) {
                    break Some(result);
                }
                let scored = player.choose_move(&game)?;
                if training_game.is_empty() && !self.is_balanced(scored.score) {
                    break None;
                }
                if let Some(result) = adjudication.by_score(&game, scored.score) {
                    break Some(result);
                }
                training_game.add_move(game.position(), scored);
                game.play(scored.mv);
            };
            // A game without a move has no training data.
            if let Some(result) = result.filter(|_| !training_game.is_empty()) {
                let positions = training_game.len() as u64;
                let bytes = training_game
                    .finish(result)
                    .map_err(|error| DatagenError::io(self.settings.folder.clone(), error))?;
                return Ok((bytes, positions));
            }
        }
        Err(DatagenError::NoPlayableOpening { most_at_start: self.settings.most_at_start })
    }

    fn is_balanced(&self, score: RawScore) -> bool {
        matches!(score, RawScore::Cp(value) if value.unsigned_abs() <= self.settings.most_at_start)
    }
}

/// Runs a worker. An error or a panic sets `failed`, which ends the other workers.
fn run_worker(
    failed: &AtomicBool,
    work: impl FnOnce() -> Result<(), DatagenError>,
) -> Result<(), DatagenError> {
    let panicked = |_| Err(DatagenError::engine("a worker", "it panicked"));
    let result = panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked);
    if result.is_err() {
        failed.store(true, Ordering::Relaxed);
    }
    result
}

fn manifest(settings: &DatagenSettings, openings: &Openings) -> Manifest {
    Manifest {
        rules: Manifest::RULES_VERSION,
        nodes: settings.nodes,
        hash_mb: settings.hash_mb,
        engine: EngineIdentity::new(settings.engine.as_deref()),
        book: openings.book().cloned(),
        random_plies: openings.random_plies(),
        most_at_start: settings.most_at_start,
    }
}

fn any_nonempty(files: &[PathBuf]) -> Result<bool, DatagenError> {
    for path in files {
        if std::fs::metadata(path).map_err(|error| DatagenError::io(path.clone(), error))?.len() > 0
        {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_fails_or_panics_ends_the_others() {
        let failed = AtomicBool::new(false);
        run_worker(&failed, || Ok(())).unwrap();
        assert!(!failed.load(Ordering::Relaxed));
        let error = run_worker(&failed, || panic!("on purpose")).unwrap_err();
        assert!(error.to_string().contains("it panicked"), "{error}");
        assert!(failed.swap(false, Ordering::Relaxed));
        run_worker(&failed, || Err(DatagenError::engine("an engine", "it has exited")))
            .unwrap_err();
        assert!(failed.load(Ordering::Relaxed));
    }
}
