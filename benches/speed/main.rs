//! How fast the rules and the search are, and how fast shakmaty and cozy-chess do the same work in
//! the same run.
//!
//! `cargo bench --bench speed` measures everything with criterion, then prints ratios from
//! alternating runs. Names after `--` choose parts: `cargo bench --bench speed -- ratios` prints
//! the ratios only.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark stops at a fault and says what it measured"
)]

mod games;
mod positions;
mod ratios;
mod search;
mod workloads;

use criterion::Criterion;
use workloads::Workload;

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let works = workloads::all();
    if !arguments.iter().any(|argument| argument == "ratios") {
        let mut criterion = Criterion::default().sample_size(10).configure_from_args();
        works.iter().for_each(|work| measure(&mut criterion, work));
        search::measure(&mut criterion);
        games::measure(&mut criterion);
        criterion.final_summary();
    }
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "ratios") {
        ratios::print(&works);
        search::print();
        games::print();
    }
}

/// One group with a line for each library.
fn measure(criterion: &mut Criterion, work: &Workload) {
    let mut group = criterion.benchmark_group(work.name.as_str());
    group.throughput(criterion::Throughput::Elements((work.kibitzer)()));
    for (library, run) in work.by_library() {
        group.bench_function(library, |bencher| bencher.iter(run));
    }
    group.finish();
}
