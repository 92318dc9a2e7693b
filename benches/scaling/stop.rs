//! The time from `stop` to the best move.

use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;

use crate::uci::Engine;
use crate::{BenchResult, CommonOptions, EngineOptions, positions};

/// Each search is told to stop in another part of this time.
const MAX_DELAY: Duration = Duration::from_millis(500);

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    program: EngineOptions,
    /// How many positions.
    #[arg(long, default_value_t = 100)]
    count: u32,
    /// The most threads of a search; each number from one on is measured.
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

pub(crate) fn run(options: &Options) -> BenchResult<()> {
    let Options { common, program, count, threads } = options;
    let positions = positions::sample(&common.positions, *count as usize)?;
    for threads in 1..=*threads {
        let mut engine = Engine::start(&program.engine, &["uci"], threads, common.hash)?;
        let mut latencies = Vec::with_capacity(positions.len());
        for (part, position) in (1..).zip(&positions) {
            engine.forget()?;
            engine.go(position, "infinite")?;
            sleep(MAX_DELAY * part / *count);
            let stop_sent = Instant::now();
            engine.stop()?;
            engine.finish()?;
            latencies.push(stop_sent.elapsed().as_secs_f64() * 1e3);
        }
        latencies.sort_unstable_by(f64::total_cmp);
        let percentile = |part: f64| latencies[((latencies.len() - 1) as f64 * part) as usize];
        println!(
            "{threads} threads: {:.2} ms in the median, {:.2} in 99 of 100, {:.2} at most",
            percentile(0.5),
            percentile(0.99),
            percentile(1.0)
        );
    }
    Ok(())
}
