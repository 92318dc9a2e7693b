//! The search is the one that it was: `kibitzer bench` searches as many nodes as `signature.txt`
//! says.
//!
//! Every change of search or evaluation changes the number, and whoever makes one writes down the
//! new number with it: `KIBITZER_ACCEPT=1 cargo test --test signature`. A number that changes
//! unasked shows a fault.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use kibitzer::engine::{Bench, Level};

#[test]
fn the_bench_searches_the_tree_that_is_written_down() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine/signature.txt");
    let nodes = Bench::run(Bench::DEPTH).nodes;
    if std::env::var_os("KIBITZER_ACCEPT").is_some() {
        std::fs::write(&path, format!("{nodes}\n")).expect("the signature can be written");
    }
    let written: u64 =
        std::fs::read_to_string(&path).expect("the signature").trim().parse().expect("a number");
    assert_eq!(nodes, written, "nodes of the bench, and of src/engine/signature.txt");
}

#[test]
fn the_tree_is_the_same_whatever_the_processor_can_do() {
    let (present, lacking): (Vec<Level>, Vec<Level>) =
        Level::ALL.into_iter().partition(|level| level.is_available());
    for level in lacking {
        println!("skipped: this processor has no {}", level.name());
    }
    let nodes: Vec<u64> =
        present.iter().map(|&level| Bench::run_at(Bench::DEPTH, level).nodes).collect();
    assert!(nodes.iter().all(|&count| count == nodes[0]), "{present:?}: {nodes:?}");
}
