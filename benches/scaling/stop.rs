//! The time from `stop` to `bestmove`.

use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;

use crate::paired_runs::sample;
use crate::uci::Engine;
use crate::{BenchResult, CommonOptions, EngineOptions};

/// The longest time from the start of a search to its stop. The stops are evenly spaced over it.
const MAX_DELAY: Duration = Duration::from_millis(500);

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    program: EngineOptions,
    /// The number of positions
    #[arg(long, default_value_t = 100)]
    count: u32,
    /// The highest number of threads; all numbers from 1 are measured
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

pub(crate) fn run(options: &Options) -> BenchResult<()> {
    let Options { common, program, count, threads } = options;
    let positions = sample(&common.positions, *count as usize)?;
    for threads in 1..=*threads {
        let mut engine = Engine::start(&program.engine, &["uci"], threads, common.hash)?;
        let mut latencies = Vec::with_capacity(positions.len());
        for (number, position) in (1..).zip(&positions) {
            engine.new_game()?;
            engine.go(position, "infinite")?;
            sleep(MAX_DELAY * number / *count);
            let stop_sent = Instant::now();
            engine.stop()?;
            engine.finish()?;
            latencies.push(stop_sent.elapsed().as_secs_f64() * 1e3);
        }
        latencies.sort_unstable_by(f64::total_cmp);
        let percentile = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
        println!(
            "{threads} threads: median {:.2} ms, 99th percentile {:.2} ms, maximum {:.2} ms",
            percentile(0.5),
            percentile(0.99),
            percentile(1.0)
        );
    }
    Ok(())
}
