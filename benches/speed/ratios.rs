//! Speed ratios between the libraries. The libraries run in turn in each round, so that load on the
//! machine affects all of them equally.

use std::time::Instant;

use crate::workloads::Workload;

const ROUNDS: usize = 7;

/// Prints for each workload the speed of each library (best of the rounds) and kibitzer's ratio to
/// the others; then the geometric means over the perfts.
pub(crate) fn print(workloads: &[Workload]) {
    println!(
        "\nbest of {ROUNDS} alternating rounds, in millions per second; \
         ratio: kibitzer's speed to theirs, by best (by median)"
    );
    println!(
        "{:<22} {:>10} {:>10} {:>10}   {:<14} {:<14}",
        "", "kibitzer", "cozy-chess", "shakmaty", "cozy-chess", "shakmaty"
    );
    let mut perfts = Vec::new();
    for workload in workloads {
        let rates = Rates::measure(workload);
        let [cozy, shakmaty] =
            [1, 2].map(|library| (rates.best_ratio(library), rates.median_ratio(library)));
        let best = rates.0.each_ref().map(|rates| rates[ROUNDS - 1] / 1e6);
        println!(
            "{:<22} {:>10.2} {:>10.2} {:>10.2}   {:<14} {:<14} {}",
            workload.name,
            best[0],
            best[1],
            best[2],
            format!("{:.3} ({:.3})", cozy.0, cozy.1),
            format!("{:.3} ({:.3})", shakmaty.0, shakmaty.1),
            workload.unit
        );
        if workload.name.starts_with("perft") {
            perfts.push([cozy.0, cozy.1, shakmaty.0, shakmaty.1]);
        }
    }
    let mean = |column: usize| {
        (perfts.iter().map(|row| row[column].ln()).sum::<f64>() / perfts.len() as f64).exp()
    };
    println!(
        "{:<22} {:>10} {:>10} {:>10}   {:<14} {:<14}",
        "perft, geometric mean",
        "",
        "",
        "",
        format!("{:.3} ({:.3})", mean(0), mean(1)),
        format!("{:.3} ({:.3})", mean(2), mean(3))
    );
}

/// The units per second of each library, in rising order.
struct Rates([Vec<f64>; 3]);

impl Rates {
    fn measure(workload: &Workload) -> Rates {
        let done = (workload.kibitzer)();
        let repeats = repeats(workload);
        let mut rates = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            for ((name, run), rates) in workload.by_library().into_iter().zip(&mut rates) {
                let start = Instant::now();
                for _ in 0..repeats {
                    assert_eq!(run(), done, "{name} and kibitzer disagree: {}", workload.name);
                }
                rates.push(done as f64 * f64::from(repeats) / start.elapsed().as_secs_f64());
            }
        }
        rates.iter_mut().for_each(|rates| rates.sort_by(f64::total_cmp));
        Rates(rates)
    }

    fn best_ratio(&self, library: usize) -> f64 {
        self.0[0][ROUNDS - 1] / self.0[library][ROUNDS - 1]
    }

    fn median_ratio(&self, library: usize) -> f64 {
        self.0[0][ROUNDS / 2] / self.0[library][ROUNDS / 2]
    }
}

/// The number of repetitions that take about a fifth of a second.
fn repeats(workload: &Workload) -> u32 {
    let start = Instant::now();
    (workload.kibitzer)();
    (0.2 / start.elapsed().as_secs_f64()).clamp(1.0, 100_000.0) as u32
}
