//! A run: workers that play until there are games enough.

use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::DatagenError;
use super::adjudication::Adjudication;
use super::game_file::{GameFile, file_of, files_of};
use super::opening::Openings;
use super::player::{Own, Player};
use super::random::Random;
use super::recipe::{Maker, Recipe};
use super::record::Record;
use super::uci_player::UciPlayer;
use crate::chess::Game;
use crate::engine::{LinearScore, STACK_BYTES};

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the files go.
    pub folder: PathBuf,
    /// Games in all, those that the folder holds already included.
    pub games: u64,
    /// Nodes a move: our own engine finishes the iteration in which it reaches them.
    pub nodes: u64,
    /// The table of each worker's engine, in MiB.
    pub hash_mb: usize,
    /// Workers, each with a game of its own.
    pub workers: u64,
    /// What decides the openings.
    pub seed: u64,
    /// Another engine than our own.
    pub engine: Option<PathBuf>,
    /// An opening that is already decided is not played: the first score lies within so many linear
    /// centipawns.
    pub most_at_start: u32,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Games in the files.
    pub games: u64,
    /// Positions in the files.
    pub positions: u64,
    /// Positions of this run alone.
    pub new_positions: u64,
    /// How long it runs.
    pub elapsed: Duration,
}

/// Plays games into files.
pub struct Generator {
    settings: Settings,
    openings: Openings,
    /// Games that are in a file or being played for one.
    taken: AtomicU64,
    games: AtomicU64,
    positions: AtomicU64,
    failed: AtomicBool,
}

/// The longest search for a worker's next game before its progress is told again.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// So many openings in a row that are over or decided are taken to be all there is.
pub(super) const OPENINGS_TRIED: u32 = 1_000;

/// How often the end of the workers is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

impl Generator {
    /// Counts what the folder holds already, and writes down what decides the games.
    ///
    /// # Errors
    ///
    /// When the folder can't be made, its files can't be read, or its games of this seed were made
    /// by other settings.
    pub fn new(settings: Settings, openings: Openings) -> Result<Generator, DatagenError> {
        let folder = settings.folder.clone();
        std::fs::create_dir_all(&folder)
            .map_err(|error| DatagenError::io(folder.clone(), error))?;
        let files = files_of(&folder, settings.seed)?;
        let recipe = recipe(&settings, &openings);
        // Without games nothing is bound to what was once wanted. Another run's files are not
        // touched, not even to count them.
        let kept =
            if hold_anything(&files)? { Recipe::read(&folder, settings.seed)? } else { None };
        kept.iter().try_for_each(|kept| kept.admit(&recipe, &folder, settings.seed))?;
        let (mut games, mut positions) = (0, 0);
        for path in files {
            let file = GameFile::open(&path)?;
            games += file.games();
            positions += file.positions();
        }
        if kept.is_none() {
            recipe.write(&folder, settings.seed)?;
        }
        Ok(Generator {
            settings,
            openings,
            taken: AtomicU64::new(games),
            games: AtomicU64::new(games),
            positions: AtomicU64::new(positions),
            failed: AtomicBool::new(false),
        })
    }

    /// Plays until there are games enough, and tells now and then how far it is.
    ///
    /// # Errors
    ///
    /// When a file can't be written or an engine fails; the games till then are kept.
    pub fn run(&self, tell: &mut dyn FnMut(Progress)) -> Result<Progress, DatagenError> {
        let started = Instant::now();
        let before = self.positions.load(Ordering::Relaxed);
        let progress = || {
            let positions = self.positions.load(Ordering::Relaxed);
            let games = self.games.load(Ordering::Relaxed);
            Progress {
                games,
                positions,
                new_positions: positions - before,
                elapsed: started.elapsed(),
            }
        };
        thread::scope(|scope| {
            let mut workers = Vec::new();
            for worker in 0..self.settings.workers {
                let thread = thread::Builder::new().stack_size(STACK_BYTES);
                match thread.spawn_scoped(scope, move || {
                    all_or_none(&self.failed, || self.play_games(worker))
                }) {
                    Ok(handle) => workers.push(handle),
                    Err(error) => {
                        self.failed.store(true, Ordering::Relaxed);
                        return Err(DatagenError::NoThread { worker: worker + 1, source: error });
                    }
                }
            }
            let mut told = Instant::now();
            while !workers.iter().all(|worker| worker.is_finished()) {
                thread::sleep(LOOK_EVERY);
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    tell(progress());
                }
            }
            workers.into_iter().try_for_each(|worker| {
                worker.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
            })
        })?;
        Ok(progress())
    }

    /// Plays game after game into one file, until there are enough or another worker has failed.
    fn play_games(&self, worker: u64) -> Result<(), DatagenError> {
        let Settings { folder, games, seed, .. } = &self.settings;
        let mut file = GameFile::open(&file_of(folder, *seed, worker))?;
        let mut player = self.player()?;
        while !self.failed.load(Ordering::Relaxed)
            && self.taken.fetch_add(1, Ordering::Relaxed) < *games
        {
            let mut random = Random::new(*seed, worker, file.games());
            let (bytes, positions) = self.play_one(player.as_mut(), &mut random, folder)?;
            file.add(&bytes, positions)?;
            self.games.fetch_add(1, Ordering::Relaxed);
            self.positions.fetch_add(positions, Ordering::Relaxed);
        }
        Ok(())
    }

    fn player(&self) -> Result<Box<dyn Player>, DatagenError> {
        let Settings { hash_mb, nodes, .. } = self.settings;
        Ok(match &self.settings.engine {
            None => Box::new(Own::new(hash_mb, nodes)?),
            Some(path) => Box::new(UciPlayer::start(path, hash_mb, nodes)?),
        })
    }

    /// One game from an opening that is not decided yet: its bytes, and how many positions they
    /// hold.
    fn play_one(
        &self,
        player: &mut dyn Player,
        random: &mut Random,
        folder: &Path,
    ) -> Result<(Vec<u8>, u64), DatagenError> {
        for _ in 0..OPENINGS_TRIED {
            let Some(opening) = self.openings.draw(random) else { continue };
            let mut game = Game::new(opening);
            let Some(mut record) = Record::new(game.position()) else { continue };
            let mut adjudication = Adjudication::default();
            player.begin(&game)?;
            let ending = loop {
                if let Some(ending) = Adjudication::by_rule(&game) {
                    break Some(ending);
                }
                let judged = player.choose(&game)?;
                if record.is_empty() && !self.is_fair(judged.score) {
                    break None;
                }
                if let Some(ending) = adjudication.by_score(&game, judged.score) {
                    break Some(ending);
                }
                record.add(game.position(), judged);
                game.play(judged.mv);
            };
            // A game without a move would teach nothing.
            if let Some(ending) = ending.filter(|_| !record.is_empty()) {
                let positions = record.len() as u64;
                let bytes = record
                    .finish(ending)
                    .map_err(|error| DatagenError::io(folder.to_owned(), error))?;
                return Ok((bytes, positions));
            }
        }
        Err(DatagenError::NoOpening { most_at_start: self.settings.most_at_start })
    }

    fn is_fair(&self, score: LinearScore) -> bool {
        matches!(score, LinearScore::Cp(value) if value.unsigned_abs() <= self.settings.most_at_start)
    }
}

/// A worker's work: when it fails, by a panic too, that ends the others, which look at `failed`.
fn all_or_none(
    failed: &AtomicBool,
    work: impl FnOnce() -> Result<(), DatagenError>,
) -> Result<(), DatagenError> {
    let panicked = |_| Err(DatagenError::engine("a worker", "it panicked"));
    let done = panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked);
    if done.is_err() {
        failed.store(true, Ordering::Relaxed);
    }
    done
}

fn recipe(settings: &Settings, openings: &Openings) -> Recipe {
    Recipe {
        rules: Recipe::RULES,
        nodes: settings.nodes,
        hash_mb: settings.hash_mb,
        engine: Maker::new(settings.engine.as_deref()),
        book: openings.book().cloned(),
        random_plies: openings.random_plies(),
        most_at_start: settings.most_at_start,
    }
}

fn hold_anything(files: &[PathBuf]) -> Result<bool, DatagenError> {
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
        all_or_none(&failed, || Ok(())).unwrap();
        assert!(!failed.load(Ordering::Relaxed));
        let error = all_or_none(&failed, || panic!("on purpose")).unwrap_err();
        assert!(error.to_string().contains("it panicked"), "{error}");
        assert!(failed.swap(false, Ordering::Relaxed));
        all_or_none(&failed, || Err(DatagenError::engine("an engine", "it has ended")))
            .unwrap_err();
        assert!(failed.load(Ordering::Relaxed));
    }
}
