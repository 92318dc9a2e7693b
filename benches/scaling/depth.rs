//! The time to a depth on two threads, compared with that on one.
//!
//! A separate engine, with a small table, chooses the depth of each position. If a compared engine
//! chose it, its time to just that depth would be longer or shorter than usual.
//!
//! Each of two busy cores may be slower than one busy core alone. So the same run also compares the
//! nodes of two processes side by side with those of one process: the gain of a second thread that
//! costs nothing.

use std::time::Duration;

use clap::Args;
use kibitzer::chess::Position;

use crate::info::nodes_side_by_side;
use crate::paired_runs::{Ratios, measure_alternating, sample};
use crate::uci::Engine;
use crate::{BenchResult, CommonOptions, EngineOptions};

/// The longest search for a depth, as a multiple of the least time. Positions that take longer are
/// skipped.
const MAX_TIME_FACTOR: u32 = 20;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    program: EngineOptions,
    /// The number of positions
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// The number of searches of each position on each number of threads
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// The table of the engine that chooses the depth, in MB
    #[arg(long, default_value_t = 2)]
    choice_hash: usize,
    /// The least time to the depth, in milliseconds, on one thread with that table
    #[arg(long, default_value_t = 2_000)]
    least: u64,
    /// The time of each search that counts the nodes of one process or of two, in milliseconds
    #[arg(long, default_value_t = 500)]
    movetime: u64,
}

pub(crate) fn run(options: &Options) -> BenchResult<()> {
    let (CommonOptions { positions, hash }, engine) = (&options.common, &options.program.engine);
    let mut choosing = Engine::start(engine, &["uci"], 1, options.choice_hash)?;
    let start = |threads| Engine::start(engine, &["uci"], threads, *hash);
    let (mut single, mut double, mut pair) = ([start(1)?], start(2)?, [start(1)?, start(1)?]);
    let (mut ratios, mut process_gains) = (Ratios::default(), Ratios::default());
    for (index, position) in sample(positions, options.count)?.into_iter().enumerate() {
        let Some(depth) =
            first_depth(&mut choosing, &position, Duration::from_millis(options.least))?
        else {
            println!("skipped, no depth takes a time within the limits: {}", position.fen());
            continue;
        };
        let [mut one, mut two] = [0.0; 2];
        for run in 0..options.runs {
            let (alone, helped) = measure_alternating(
                run,
                || seconds_to_depth(&mut single[0], &position, depth),
                || seconds_to_depth(&mut double, &position, depth),
            )?;
            one += alone.ln();
            two += helped.ln();
        }
        let ratio = ((one - two) / options.runs as f64).exp();
        println!("depth {depth}: {ratio:.3} times as fast: {}", position.fen());
        ratios.add(ratio);
        let (both, alone) = measure_alternating(
            index,
            || nodes_side_by_side(&mut pair, &position, options.movetime),
            || nodes_side_by_side(&mut single, &position, options.movetime),
        )?;
        process_gains.add(both as f64 / alone as f64);
    }
    println!("two threads reach the depth {ratios} times as fast, {} runs each", options.runs);
    println!("two processes search {process_gains} times the nodes of one");
    Ok(())
}

/// The first depth that takes at least `least`.
fn first_depth(
    engine: &mut Engine,
    position: &Position,
    least: Duration,
) -> BenchResult<Option<u32>> {
    engine.new_game()?;
    engine.go(position, &format!("movetime {}", (least * MAX_TIME_FACTOR).as_millis()))?;
    let mut first = None;
    let mut deepest = 0;
    while let Some(info) = engine.next_info()? {
        // The last info of a stopped search repeats a depth.
        if first.is_none() && info.depth > deepest && info.elapsed >= least {
            first = Some(info.depth);
            engine.stop()?;
        }
        deepest = deepest.max(info.depth);
    }
    Ok(first)
}

/// The time of a search to a depth with an empty table, in seconds.
fn seconds_to_depth(engine: &mut Engine, position: &Position, depth: u32) -> BenchResult<f64> {
    engine.new_game()?;
    engine.go(position, &format!("depth {depth}"))?;
    Ok(engine.finish()?.1.as_secs_f64())
}
