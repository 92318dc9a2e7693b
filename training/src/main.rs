//! The command line of the trainer.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use kibitzer_trainer::commands::alter::Alter;
use kibitzer_trainer::commands::average::Average;
use kibitzer_trainer::commands::benchmark::Benchmark;
use kibitzer_trainer::commands::calibrate::Calibrate;
use kibitzer_trainer::commands::datagen::Datagen;
use kibitzer_trainer::commands::evaluate::Evaluate;
use kibitzer_trainer::commands::export::Export;
use kibitzer_trainer::commands::info::Info;
use kibitzer_trainer::commands::label::Label;
use kibitzer_trainer::commands::measure::Measure;
use kibitzer_trainer::commands::output::{Output, is_reader_left};
use kibitzer_trainer::commands::reorder::Reorder;
use kibitzer_trainer::commands::samples::Samples;
use kibitzer_trainer::commands::train::{Resume, Train};
use kibitzer_trainer::commands::wdl::Wdl;

/// Trains kibitzer's evaluation network from viriformat game files, on the CPU.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Generates training games by self-play
    Datagen(Datagen),
    /// Writes altered positions of games as an opening book
    Alter(Alter),
    /// Labels positions with the static evaluation of another program
    Label(Label),
    /// Starts a run
    Train(Train),
    /// Continues a stopped run
    Resume(Resume),
    /// Writes the network file of a run's checkpoint
    Export(Export),
    /// Describes a network file, a checkpoint or a label file
    Info(Info),
    /// Evaluates positions with a network file
    Evaluate(Evaluate),
    /// Measures a network file on the held-out positions
    Measure(Measure),
    /// Measures a network file on positions of strong engines' games
    Benchmark(Benchmark),
    /// Orders the pairs of a layered network so that the engine skips more of them
    Reorder(Reorder),
    /// Averages networks that come from one another by further training
    Average(Average),
    /// Writes positions as records of 32 bytes, for a trainer in another language
    Samples(Samples),
    /// Fits the scale of the logistic curve between scores and results
    Calibrate(Calibrate),
    /// Fits the model of win, draw and loss to the engine's own games
    Wdl(Wdl),
}

/// The exit status of a program that ends with its reader: 128 + SIGPIPE.
const READER_LEFT: u8 = 141;

fn main() -> Result<ExitCode> {
    let mut out = Output::lock();
    match execute(Arguments::parse().command, &mut out) {
        Err(error) if is_reader_left(&error) => Ok(ExitCode::from(READER_LEFT)),
        result => result.map(|()| ExitCode::SUCCESS),
    }
}

fn execute(command: Command, out: &mut Output) -> Result<()> {
    match command {
        Command::Datagen(command) => command.execute(out)?,
        Command::Alter(command) => command.execute(out)?,
        Command::Label(command) => command.execute(out)?,
        Command::Train(command) => command.execute(out)?,
        Command::Resume(command) => command.execute(out)?,
        Command::Export(command) => command.execute(out)?,
        Command::Info(command) => command.execute(out)?,
        Command::Evaluate(command) => command.execute(out)?,
        Command::Measure(command) => command.execute(out)?,
        Command::Benchmark(command) => command.execute(out)?,
        Command::Reorder(command) => command.execute(out)?,
        Command::Average(command) => command.execute(out)?,
        Command::Samples(command) => command.execute(out)?,
        Command::Calibrate(command) => command.execute(out)?,
        Command::Wdl(command) => command.execute(out)?,
    }
    Ok(out.flush()?)
}
