//! Nodes a second on one thread, against another engine.

use std::path::PathBuf;

use clap::Args;

use crate::ratios::{Ratios, measure_alternating};
use crate::uci::{Engine, Info};
use crate::{BenchResult, TimedOptions, positions};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    timed: TimedOptions,
    /// The other engine: a program that speaks UCI.
    #[arg(long, value_name = "PROGRAM")]
    against: PathBuf,
    /// What the other engine is started with: `uci` for another build of this project's.
    #[arg(long, value_name = "ARGUMENT")]
    argument: Vec<String>,
}

pub(crate) fn run(options: &Options) -> BenchResult<()> {
    let TimedOptions { common, program, count, movetime } = &options.timed;
    let mut ours = Engine::start(&program.engine, &["uci"], 1, common.hash)?;
    let arguments: Vec<&str> = options.argument.iter().map(String::as_str).collect();
    let mut theirs = Engine::start(&options.against, &arguments, 1, common.hash)?;
    let mut ratios = Ratios::default();
    let (mut our_speed, mut their_speed, mut our_depth, mut their_depth) = (0.0, 0.0, 0, 0);
    for (index, position) in positions::sample(&common.positions, *count)?.iter().enumerate() {
        let search = |engine: &mut Engine| -> BenchResult<Info> {
            engine.forget()?;
            engine.go(position, &format!("movetime {movetime}"))?;
            Ok(engine.finish()?.0)
        };
        let (our, their) =
            measure_alternating(index, || search(&mut ours), || search(&mut theirs))?;
        println!(
            "{:>10.0} nodes a second, {:>10.0} of the other: {}",
            our.speed(),
            their.speed(),
            position.fen()
        );
        ratios.add(our.speed() / their.speed());
        (our_speed, their_speed) = (our_speed + our.speed(), their_speed + their.speed());
        (our_depth, their_depth) = (our_depth + our.depth, their_depth + their.depth);
    }
    let mean = |depths: u32| f64::from(depths) / *count as f64;
    println!("of all nodes a second {:.3}, by position {ratios}", our_speed / their_speed);
    println!("depth {:.1}, of the other {:.1}", mean(our_depth), mean(their_depth));
    Ok(())
}
