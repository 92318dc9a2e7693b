//! Nodes per second on one thread, compared with another engine.

use std::path::PathBuf;

use clap::Args;

use crate::info::Info;
use crate::paired_runs::{Ratios, measure_alternating, sample};
use crate::uci::Engine;
use crate::{BenchResult, TimedOptions};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    timed: TimedOptions,
    /// The other UCI engine
    #[arg(long, value_name = "PROGRAM")]
    against: PathBuf,
    /// An argument of the other engine, such as `uci` for another build of kibitzer
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
    for (index, position) in sample(&common.positions, *count)?.iter().enumerate() {
        let search = |engine: &mut Engine| -> BenchResult<Info> {
            engine.new_game()?;
            engine.go(position, &format!("movetime {movetime}"))?;
            Ok(engine.finish()?.0)
        };
        let (our, their) =
            measure_alternating(index, || search(&mut ours), || search(&mut theirs))?;
        println!(
            "{:>10.0} nodes per second, {:>10.0} by the other: {}",
            our.nodes_per_second(),
            their.nodes_per_second(),
            position.fen()
        );
        ratios.add(our.nodes_per_second() / their.nodes_per_second());
        (our_speed, their_speed) =
            (our_speed + our.nodes_per_second(), their_speed + their.nodes_per_second());
        (our_depth, their_depth) = (our_depth + our.depth, their_depth + their.depth);
    }
    let mean = |depths: u32| f64::from(depths) / *count as f64;
    println!("total nodes per second {:.3}, by position {ratios}", our_speed / their_speed);
    println!("mean depth {:.1}, of the other {:.1}", mean(our_depth), mean(their_depth));
    Ok(())
}
