//! The speed of rules and search, compared with shakmaty and cozy-chess on the same work in the
//! same run.
//!
//! `cargo bench --bench speed` measures everything with criterion, then prints ratios from
//! alternating runs. `cargo bench --bench speed -- ratios` prints only the ratios, `-- tablebases`
//! only those of endgame tables; other names after `--` select criterion benchmarks.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark panics on errors and prints its results"
)]

mod games;
mod pictures;
mod positions;
#[path = "../../tests/support/random.rs"]
mod random;
#[path = "../../tests/tablebases/random_positions.rs"]
mod random_positions;
mod ratios;
mod search;
mod tablebases;
mod workloads;

use criterion::Criterion;
use workloads::Workload;

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let workloads = workloads::all();
    if arguments.iter().any(|argument| argument == "tablebases") {
        tablebases::print();
        return;
    }
    if !arguments.iter().any(|argument| argument == "ratios") {
        let mut criterion = Criterion::default().sample_size(10).configure_from_args();
        workloads.iter().for_each(|workload| measure(&mut criterion, workload));
        search::measure(&mut criterion);
        games::measure(&mut criterion);
        pictures::measure(&mut criterion);
        criterion.final_summary();
    }
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "ratios") {
        ratios::print(&workloads);
        search::print();
        games::print();
        pictures::print();
        tablebases::print();
    }
}

/// Measures a workload with each library.
fn measure(criterion: &mut Criterion, workload: &Workload) {
    let mut group = criterion.benchmark_group(workload.name.as_str());
    group.throughput(criterion::Throughput::Elements((workload.kibitzer)()));
    for (library, run) in workload.by_library() {
        group.bench_function(library, |bencher| bencher.iter(run));
    }
    group.finish();
}
