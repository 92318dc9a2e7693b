//! Time to depth: how much sooner two threads get there than one.

use std::time::Duration;

use clap::Args;
use kibitzer::chess::Position;

use crate::ratios::{Ratios, measure_alternating};
use crate::uci::Engine;
use crate::{BenchResult, CommonOptions, EngineOptions, positions};

/// A position in which one thread does not get there within so many times the least time is passed
/// over.
const MAX_TIME_FACTOR: u32 = 20;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    program: EngineOptions,
    /// How many positions.
    #[arg(long, default_value_t = 60)]
    count: usize,
    /// How often each position is searched by either.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// The depth is the first that takes one thread at least so long, in milliseconds.
    #[arg(long, default_value_t = 2_000)]
    least: u64,
}

pub(crate) fn run(options: &Options) -> BenchResult<()> {
    let (CommonOptions { positions, hash }, engine) = (&options.common, &options.program.engine);
    let (mut single, mut double) =
        (Engine::start(engine, &["uci"], 1, *hash)?, Engine::start(engine, &["uci"], 2, *hash)?);
    let mut ratios = Ratios::default();
    for position in positions::sample(positions, options.count)? {
        let Some(depth) =
            first_depth(&mut single, &position, Duration::from_millis(options.least))?
        else {
            println!(
                "passed over, no depth takes long enough and not too long: {}",
                position.fen()
            );
            continue;
        };
        let [mut one, mut two] = [0.0; 2];
        for run in 0..options.runs {
            let (alone, helped) = measure_alternating(
                run,
                || seconds_to_depth(&mut single, &position, depth),
                || seconds_to_depth(&mut double, &position, depth),
            )?;
            one += alone.ln();
            two += helped.ln();
        }
        let ratio = ((one - two) / options.runs as f64).exp();
        println!("depth {depth}: {ratio:.3} times as fast: {}", position.fen());
        ratios.add(ratio);
    }
    println!("two threads reach the depth {ratios} times as fast, {} runs each", options.runs);
    Ok(())
}

/// The first depth that takes one thread so long.
fn first_depth(
    engine: &mut Engine,
    position: &Position,
    least: Duration,
) -> BenchResult<Option<u32>> {
    engine.forget()?;
    engine.go(position, &format!("movetime {}", (least * MAX_TIME_FACTOR).as_millis()))?;
    let mut found = None;
    let mut deepest = 0;
    while let Some(info) = engine.next_info()? {
        // The last line of a search that was cut off repeats a depth.
        if found.is_none() && info.depth > deepest && info.elapsed >= least {
            found = Some(info.depth);
            engine.stop()?;
        }
        deepest = deepest.max(info.depth);
    }
    Ok(found)
}

/// How long a search to a depth takes, with an empty table.
fn seconds_to_depth(engine: &mut Engine, position: &Position, depth: u32) -> BenchResult<f64> {
    engine.forget()?;
    engine.go(position, &format!("depth {depth}"))?;
    Ok(engine.finish()?.1.as_secs_f64())
}
