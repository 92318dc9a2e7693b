//! The search signature: `kibitzer bench` searches as many nodes as `signature.txt` records.
//!
//! Every change of search or evaluation changes the count. The same commit records the new one:
//! `KIBITZER_ACCEPT=1 cargo test --test signature`. An unintended change shows a bug.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use kibitzer::engine::{Bench, SimdLevel};

#[test]
fn the_bench_node_count_matches_signature_txt() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine/signature.txt");
    let nodes = Bench::run(Bench::DEPTH).nodes;
    if std::env::var_os("KIBITZER_ACCEPT").is_some() {
        std::fs::write(&path, format!("{nodes}\n")).expect("the signature can be written");
    }
    let written: u64 =
        std::fs::read_to_string(&path).expect("the signature").trim().parse().expect("a number");
    assert_eq!(nodes, written, "left: nodes of the bench; right: src/engine/signature.txt");
}

#[test]
fn the_bench_node_count_is_the_same_at_every_simd_level() {
    let (present, lacking): (Vec<SimdLevel>, Vec<SimdLevel>) =
        SimdLevel::ALL.into_iter().partition(|level| level.is_available());
    for level in lacking {
        println!("skipped: this processor does not support {}", level.name());
    }
    let nodes: Vec<u64> = present
        .iter()
        .map(|&level| Bench::run_with(Bench::DEPTH, level, &mut || ()).nodes)
        .collect();
    assert!(nodes.iter().all(|&count| count == nodes[0]), "{present:?}: {nodes:?}");
}
