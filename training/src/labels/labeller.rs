//! The labeller: workers, each with an evaluator, that label the positions of game files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::evaluator::Evaluator;
use super::file::{EXTENSION, LabelFileWriter};
use super::job::JobSettings;
use super::manifest::{Manifest, Source};
use super::output::{Output, Stop, tasks};
use super::relatives::RelativeSettings;
use super::thinning::Thinning;
use crate::games;

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct LabelSettings {
    /// The evaluator's program.
    pub evaluator: PathBuf,
    /// The game files.
    pub seeds: Vec<PathBuf>,
    /// Folder of the label files.
    pub folder: PathBuf,
    /// Names of game files without results.
    pub unknown_results: Vec<String>,
    /// The share of positions that are seeds.
    pub seed_share: f32,
    /// The relatives of a seed.
    pub relatives: RelativeSettings,
    /// The thinning of decided positions.
    pub thinning: Vec<Thinning>,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Games of a block.
    pub games_per_block: u32,
    /// Number of workers.
    pub workers: usize,
    /// The size that all label files together do not exceed.
    pub most_bytes: u64,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Blocks written by this run.
    pub blocks: usize,
    /// Blocks that were missing at the start.
    pub missing_blocks: usize,
    /// Positions evaluated by this run.
    pub evaluated: u64,
    /// Labels in all files.
    pub labels: u64,
    /// Size of all files.
    pub bytes: u64,
    /// Whether the files have reached the largest size.
    pub is_full: bool,
    /// Time since the start.
    pub elapsed: Duration,
}

/// Interval of the progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Blocks per worker that may wait for an earlier one.
const MOST_AHEAD: usize = 4;

/// A run: game files in memory, and the label files.
pub struct Labeller {
    settings: LabelSettings,
    games: Vec<GameFile>,
    output: Output,
}

struct GameFile {
    path: PathBuf,
    content: Vec<u8>,
    job: JobSettings,
}

impl Labeller {
    /// Reads the game files, and creates the label files or opens those of a stopped run.
    ///
    /// # Errors
    ///
    /// When the evaluator or a game file cannot be read, or the label files have other settings.
    pub fn new(mut settings: LabelSettings) -> Result<Labeller> {
        let evaluator = fs::canonicalize(&settings.evaluator)
            .with_context(|| format!("cannot find {}", settings.evaluator.display()))?;
        settings.evaluator = evaluator;
        let evaluator = Source::new(&settings.evaluator, &read(&settings.evaluator)?);
        fs::create_dir_all(&settings.folder)
            .with_context(|| format!("cannot create {}", settings.folder.display()))?;
        let paths = label_paths(&settings)?;
        let (mut games, mut files, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        for (path, label_path) in settings.seeds.iter().zip(paths) {
            let game_file = GameFile::read(path, &settings)?;
            let manifest = game_file.manifest(&settings, &evaluator);
            files.push(LabelFileWriter::open(&label_path, &manifest)?);
            blocks.push(game_file.split()?.len().div_ceil(settings.games_per_block as usize));
            games.push(game_file);
        }
        let most_ahead = MOST_AHEAD * settings.workers;
        let output = Output::new(files, tasks(&blocks), most_ahead, settings.most_bytes);
        Ok(Labeller { settings, games, output })
    }

    /// Labels the missing blocks and reports the progress.
    ///
    /// # Errors
    ///
    /// When an evaluator fails, a game is damaged or a file cannot be written. The whole blocks so
    /// far are kept.
    pub fn run(&self, on_progress: &mut dyn FnMut(Progress)) -> Result<Progress> {
        let started = Instant::now();
        let games: Result<Vec<Vec<&[u8]>>> = self.games.iter().map(GameFile::split).collect();
        let games = games?;
        thread::scope(|scope| {
            let (alive, all_ended) = mpsc::channel();
            let workers: Vec<_> = (0..self.settings.workers)
                .map(|_| {
                    let (alive, games) = (alive.clone(), &games);
                    scope.spawn(move || self.work(games, alive))
                })
                .collect();
            drop(alive);
            while let Err(RecvTimeoutError::Timeout) = all_ended.recv_timeout(PROGRESS_INTERVAL) {
                on_progress(self.progress(started));
            }
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|_| Err(anyhow!("a worker panicked"))))
                .collect::<Vec<Result<()>>>()
                .into_iter()
                .collect::<Result<()>>()
        })?;
        Ok(self.progress(started))
    }

    fn progress(&self, started: Instant) -> Progress {
        let output = self.output.progress();
        Progress {
            blocks: output.blocks.0,
            missing_blocks: output.blocks.1,
            evaluated: output.evaluated,
            labels: output.labels,
            bytes: output.bytes,
            is_full: output.stop == Some(Stop::Full),
            elapsed: started.elapsed(),
        }
    }

    /// Labels blocks until none is left. `_alive` tells that the worker has not ended.
    fn work(&self, games: &[Vec<&[u8]>], _alive: Sender<()>) -> Result<()> {
        let stop = StopOnDrop(&self.output);
        let per_block = self.settings.games_per_block as usize;
        let mut evaluator = None;
        while let Some((place, task)) = self.output.claim() {
            let evaluator = match &mut evaluator {
                Some(evaluator) => evaluator,
                none => none.insert(Evaluator::start(&self.settings.evaluator)?),
            };
            let first = task.block * per_block;
            let of_block = games[task.file].iter().copied().skip(first).take(per_block);
            let of_block: Vec<&[u8]> = of_block.collect();
            let labelled = self.games[task.file].job.label(&of_block, first, evaluator)?;
            self.output.deliver(place, labelled.block, labelled.evaluated)?;
        }
        evaluator.map_or(Ok(()), Evaluator::finish)?;
        std::mem::forget(stop);
        Ok(())
    }
}

/// Ends the run when a worker returns an error or panics.
struct StopOnDrop<'a>(&'a Output);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl GameFile {
    fn read(path: &Path, settings: &LabelSettings) -> Result<GameFile> {
        let file_name = games::file_name(path);
        let job = JobSettings {
            results_known: !settings.unknown_results.contains(&file_name),
            file_name,
            seed: settings.seed,
            seed_share: settings.seed_share,
            relatives: settings.relatives,
            thinning: settings.thinning.clone(),
        };
        Ok(GameFile { path: path.to_owned(), content: read(path)?, job })
    }

    fn split(&self) -> Result<Vec<&[u8]>> {
        games::split(&self.content).with_context(|| self.path.display().to_string())
    }

    fn manifest(&self, settings: &LabelSettings, evaluator: &Source) -> Manifest {
        Manifest {
            generator: Manifest::GENERATOR,
            evaluator: evaluator.clone(),
            games: Source::new(&self.path, &self.content),
            results_known: self.job.results_known,
            seed: settings.seed,
            seed_share: settings.seed_share,
            relatives: settings.relatives.count,
            flat: settings.relatives.flat,
            thin: settings.thinning.clone(),
            games_per_block: settings.games_per_block,
        }
    }
}

/// The label file of each game file: `labels` in place of its extension.
fn label_paths(settings: &LabelSettings) -> Result<Vec<PathBuf>> {
    let mut seen = BTreeSet::new();
    settings
        .seeds
        .iter()
        .map(|path| {
            let Some(stem) = path.file_stem() else { bail!("{} is no file", path.display()) };
            let label_path = settings.folder.join(stem).with_added_extension(EXTENSION);
            ensure!(
                seen.insert(label_path.clone()),
                "two game files would have the labels {}; their names must differ",
                label_path.display()
            );
            Ok(label_path)
        })
        .collect()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
