//! Two threads in one process, compared with two processes: one search on both threads, and two
//! concurrent searches of different positions.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use clap::Args;
use kibitzer::chess::{Game, Position};
use kibitzer::engine::{Engine, Limits, STACK_BYTES, StopFlag};

use crate::info::nodes_side_by_side;
use crate::paired_runs::{Ratios, measure_alternating, sample};
use crate::uci;
use crate::{BenchResult, CommonOptions, TimedOptions};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: CommonOptions,
    /// The number of pairs of positions
    #[arg(long, default_value_t = 25)]
    count: usize,
    /// The time of each search, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    movetime: u64,
}

/// The searches of one process.
#[derive(Args)]
pub(crate) struct Search {
    /// The table, in MB
    hash: usize,
    /// The time of the searches, in milliseconds
    movetime: u64,
    /// The positions to search concurrently
    fens: Vec<String>,
}

/// Compares one search on two threads with two processes on one thread each.
pub(crate) fn run_threads(options: &TimedOptions) -> BenchResult<()> {
    let (CommonOptions { positions, hash }, engine) = (&options.common, &options.program.engine);
    let start = |threads| uci::Engine::start(engine, &["uci"], threads, *hash);
    let (mut double, mut singles) = (vec![start(2)?], vec![start(1)?, start(1)?]);
    let mut ratios = Ratios::default();
    let (mut all_double, mut all_single) = (0, 0);
    for (index, position) in sample(positions, options.count)?.iter().enumerate() {
        let (together, apart) = measure_alternating(
            index,
            || nodes_side_by_side(&mut double, position, options.movetime),
            || nodes_side_by_side(&mut singles, position, options.movetime),
        )?;
        println!(
            "{together:>10} nodes on two threads, {apart:>10} by two processes: {}",
            position.fen()
        );
        ratios.add(together as f64 / apart as f64);
        (all_double, all_single) = (all_double + together, all_single + apart);
    }
    println!("total nodes {:.3}, by position {ratios}", all_double as f64 / all_single as f64);
    Ok(())
}

/// Compares two concurrent searches in one process with two processes.
pub(crate) fn run(options: &Options) -> BenchResult<()> {
    let mut ratios = Ratios::default();
    let (mut all_together, mut all_apart) = (0, 0);
    let positions = sample(&options.common.positions, 2 * options.count)?;
    // Adjacent positions of the file are similar, so each pair has one of either half.
    let (left, right) = positions.split_at(options.count);
    for (index, (left, right)) in left.iter().zip(right).enumerate() {
        let (together, apart) = measure_alternating(
            index,
            || nodes(options, &[&[left, right]]),
            || nodes(options, &[&[left], &[right]]),
        )?;
        println!(
            "{together:>10} nodes in one process, {apart:>10} in two: {} and {}",
            left.fen(),
            right.fen()
        );
        ratios.add(together as f64 / apart as f64);
        (all_together, all_apart) = (all_together + together, all_apart + apart);
    }
    println!("total nodes {:.3}, by pair {ratios}", all_together as f64 / all_apart as f64);
    Ok(())
}

/// The nodes of concurrent processes, each with its positions.
fn nodes(options: &Options, processes: &[&[&Position]]) -> BenchResult<u64> {
    let children: Vec<Child> =
        processes.iter().map(|positions| start(options, positions)).collect::<BenchResult<_>>()?;
    let mut waiting = Vec::new();
    for mut child in children {
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipes to the process".into());
        };
        let mut output = BufReader::new(output);
        output.read_line(&mut String::new())?;
        waiting.push((child, input, output));
    }
    // All processes have their tables, so the searches start.
    for (_, input, _) in &mut waiting {
        writeln!(input)?;
    }
    let mut nodes = 0;
    for (mut child, _, mut output) in waiting {
        let mut text = String::new();
        output.read_to_string(&mut text)?;
        nodes += text.trim().parse::<u64>()?;
        child.wait()?;
    }
    Ok(nodes)
}

fn start(options: &Options, positions: &[&Position]) -> BenchResult<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("search").arg(options.common.hash.to_string()).arg(options.movetime.to_string());
    command.args(positions.iter().map(|position| position.fen()));
    Ok(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?)
}

/// Prints `ready`, waits for a line, searches, and prints the number of nodes.
pub(crate) fn search(options: &Search) -> BenchResult<()> {
    let engine = Engine::new(options.hash);
    let games: Vec<Game> = options
        .fens
        .iter()
        .map(|fen| Position::from_fen(fen).map(Game::new))
        .collect::<Result<_, _>>()?;
    println!("ready");
    std::io::stdin().read_line(&mut String::new())?;
    let limits =
        Limits { movetime: Some(Duration::from_millis(options.movetime)), ..Limits::default() };
    let nodes: u64 = thread::scope(|scope| {
        let searches: Vec<_> = games
            .iter()
            .map(|game| {
                let search =
                    || engine.analyse(game, &limits, &StopFlag::default(), &mut |_| ()).nodes;
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, search)
            })
            .collect::<Result<_, _>>()?;
        searches
            .into_iter()
            .map(|search| search.join().map_err(|_| "a search panicked".into()))
            .sum::<BenchResult<u64>>()
    })?;
    println!("{nodes}");
    Ok(())
}
