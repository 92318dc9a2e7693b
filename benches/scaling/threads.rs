//! One search on two threads, against two processes on one thread each, side by side on the same
//! position.

use crate::ratios::{Ratios, measure_alternating};
use crate::uci::Engine;
use crate::{BenchResult, CommonOptions, TimedOptions, positions};

pub(crate) fn run(options: &TimedOptions) -> BenchResult<()> {
    let (CommonOptions { positions, hash }, engine) = (&options.common, &options.program.engine);
    let start = |threads| Engine::start(engine, &["uci"], threads, *hash);
    let (mut double, mut singles) = (vec![start(2)?], vec![start(1)?, start(1)?]);
    let mut ratios = Ratios::default();
    let (mut all_double, mut all_single) = (0, 0);
    for (index, position) in positions::sample(positions, options.count)?.iter().enumerate() {
        let nodes = |engines: &mut Vec<Engine>| -> BenchResult<u64> {
            engines.iter_mut().try_for_each(Engine::forget)?;
            engines.iter_mut().try_for_each(|engine| {
                engine.go(position, &format!("movetime {}", options.movetime))
            })?;
            engines.iter_mut().map(|engine| Ok(engine.finish()?.0.nodes)).sum()
        };
        let (together, apart) =
            measure_alternating(index, || nodes(&mut double), || nodes(&mut singles))?;
        println!(
            "{together:>10} nodes on two threads, {apart:>10} by two processes: {}",
            position.fen()
        );
        ratios.add(together as f64 / apart as f64);
        (all_double, all_single) = (all_double + together, all_single + apart);
    }
    println!("of all nodes {:.3}, by position {ratios}", all_double as f64 / all_single as f64);
    Ok(())
}
