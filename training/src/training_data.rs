//! The data of a run: the streams of its phases, the held-out positions and the benchmark.

use anyhow::Result;

use crate::benchmark;
use crate::config::Config;
use crate::data_file;
use crate::sample::Sample;
use crate::stream::{Order, Stream};

/// The open data of a run.
#[derive(Debug)]
pub struct TrainingData {
    /// The stream of the whole run, or of the part before the late phase.
    pub main: Stream,
    /// The stream of the late phase, if that has data of its own.
    pub late: Option<Stream>,
    /// The positions of held-out games of the main stream.
    pub held_out: Vec<Sample>,
    /// The positions of the benchmark; empty without a benchmark.
    pub benchmark: Vec<benchmark::Position>,
}

impl TrainingData {
    /// Opens the data of a run, and reads the held-out positions and the benchmark.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is damaged, or a phase has no data.
    pub fn open(config: &Config) -> Result<TrainingData> {
        let order =
            |number| Order { seed: config.seed, number, shuffle_units: config.shuffle_units };
        let benchmark = match &config.benchmark {
            Some(path) => benchmark::load(path)?,
            None => Vec::new(),
        };
        let main = Stream::open(&config.data, order(0))?;
        let late_data = &config.late.late_data;
        let late =
            if late_data.is_empty() { None } else { Some(Stream::open(late_data, order(1))?) };
        let files = main.files().iter().map(|(file, _)| file);
        let held_out = data_file::held_out(files, &config.selection)?;
        Ok(TrainingData { main, late, held_out, benchmark })
    }
}
