//! The time from `stop` to the best move.

use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;

use crate::uci::Engine;
use crate::{Common, Outcome, Program, positions};

/// Each search is told to stop in another part of this time.
const LONGEST: Duration = Duration::from_millis(500);

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    program: Program,
    /// How many positions.
    #[arg(long, default_value_t = 100)]
    count: u32,
    /// The most threads of a search; each number from one on is measured.
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

pub(crate) fn run(options: &Options) -> Outcome<()> {
    let Options { common, program, count, threads } = options;
    let positions = positions::sample(&common.positions, *count as usize)?;
    for threads in 1..=*threads {
        let mut engine = Engine::start(&program.engine, &["uci"], threads, common.hash)?;
        let mut waits = Vec::with_capacity(positions.len());
        for (part, position) in (1..).zip(&positions) {
            engine.forget()?;
            engine.go(position, "infinite")?;
            sleep(LONGEST * part / *count);
            let said = Instant::now();
            engine.stop()?;
            engine.finish()?;
            waits.push(said.elapsed().as_secs_f64() * 1e3);
        }
        waits.sort_unstable_by(f64::total_cmp);
        let at = |part: f64| waits[((waits.len() - 1) as f64 * part) as usize];
        println!(
            "{threads} threads: {:.2} ms in the median, {:.2} in 99 of 100, {:.2} at most",
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
    Ok(())
}
