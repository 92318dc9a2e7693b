//! The direction of imports: `chess ← nnue ← engine ← store ← analysis ← http`, read from the
//! source itself.
//!
//! A room is a folder or file directly under `src/`. This test reads every path that starts at the
//! crate's root, in `use` lines and in the middle of code, and compares it with the list of what
//! each room may see.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod source;

use std::collections::BTreeSet;
use std::path::Path;

use source::SourceFile;

/// Who may see whom. A room that is not listed here has no place in the design yet.
const ROOMS: &[(&str, &[&str])] = &[
    ("chess", &[]),
    ("openings", &["chess"]),
    ("nnue", &["chess"]),
    ("engine", &["chess", "nnue"]),
    ("store", &["chess", "engine"]),
    ("analysis", &["chess", "openings", "nnue", "engine", "store"]),
    ("http", &["chess", "openings", "nnue", "engine", "analysis"]),
    ("uci", &["chess", "engine"]),
    ("datagen", &["chess", "engine"]),
    ("load", &["chess"]),
    ("config", &[]),
    ("telemetry", &["config"]),
];

/// The composition root sees every room.
const SEES_ALL: &[&str] = &["app", "commands", "main", "lib"];

/// What the synchronous rooms may not name: I/O, the environment and the async world belong further
/// up.
const SYNCHRONOUS: &[&str] = &["chess", "nnue", "engine"];
const NOT_SYNCHRONOUS: &[&str] = &[
    "tokio::",
    "axum::",
    "reqwest::",
    "std::env",
    "std::net",
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
    "dbg!",
    "env!",
];

/// What the rules of chess may not name even of the standard library: no I/O, no clock, no threads.
const NOT_RULES: &[&str] =
    &["std::fs", "std::io", "std::process", "std::thread", "std::time", "std::sync"];

/// `true` for what may stand directly under `src/`.
fn is_room(name: &str) -> bool {
    SEES_ALL.contains(&name) || ROOMS.iter().any(|(room, _)| *room == name)
}

/// Every complaint about a file, in words.
fn faults(file: &SourceFile, dependencies: &BTreeSet<String>) -> Vec<String> {
    let room = file.room();
    if SEES_ALL.contains(&room) {
        return Vec::new();
    }
    let Some((_, may_see)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return vec![format!("{}: the room `{room}` has no place in the list of rooms", file.path)];
    };
    let mut faults = Vec::new();
    for seen in file.rooms_seen(is_room) {
        if seen != room && !may_see.contains(&seen.as_str()) {
            faults.push(format!("{}: `{room}` may not see `{seen}`", file.path));
        }
    }
    let mut forbidden = Vec::new();
    if SYNCHRONOUS.contains(&room) {
        forbidden.extend_from_slice(NOT_SYNCHRONOUS);
    }
    if room == "chess" {
        forbidden.extend_from_slice(NOT_RULES);
        for package in dependencies.iter().filter(|package| file.names_package(package)) {
            faults.push(format!(
                "{}: `chess` knows the standard library only, not `{package}`",
                file.path
            ));
        }
    }
    for word in forbidden.into_iter().filter(|word| file.names(word)) {
        faults.push(format!("{}: `{room}` may not name `{word}`", file.path));
    }
    faults
}

fn dependencies() -> BTreeSet<String> {
    let manifest =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
            .expect("Cargo.toml");
    source::dependencies(&manifest)
}

#[test]
fn imports_point_one_way() {
    let files = SourceFile::all_under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(
        files.iter().any(|file| file.room() == "chess"),
        "the test must see the rules of chess"
    );
    let dependencies = dependencies();
    let faults: Vec<String> = files.iter().flat_map(|file| faults(file, &dependencies)).collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn the_list_of_rooms_has_no_circle() {
    for (place, (room, may_see)) in ROOMS.iter().enumerate() {
        for seen in *may_see {
            let below = ROOMS
                .iter()
                .position(|(name, _)| name == seen)
                .expect("a room may only see rooms of the list");
            assert!(below < place, "`{room}` stands before `{seen}`, which it sees");
        }
    }
}

#[test]
fn the_manifest_lists_the_packages_that_chess_must_not_name() {
    let dependencies = dependencies();
    for package in ["axum", "serde", "serde_json", "tokio", "tower_http"] {
        assert!(dependencies.contains(package), "{package} is a dependency: {dependencies:?}");
    }
    assert!(!dependencies.contains("missing_docs"), "lints are no packages");
}

/// What the check says of one made-up file.
fn verdict(path: &str, text: &str) -> Vec<String> {
    faults(&SourceFile::new(path, text), &dependencies())
}

#[test]
fn an_arrow_upward_is_found_wherever_it_hides() {
    for text in [
        "use crate::engine::Engine;",
        "pub use crate::engine;",
        "use crate::{chess::Square, engine::{Limits, Score}};",
        "use crate::{\n    // a comment, with a brace }\n    chess::Square,\n    engine,\n};",
        "fn f() -> crate::engine::Score { todo() }",
        "use super::super::engine::Score;",
        "mod tests { use super::super::super::engine::Score; }",
        "use super::super::{chess, engine};",
        "const QUOTE: char = '\"'; use crate::engine::Score;",
    ] {
        assert_eq!(verdict("chess/fen.rs", text).len(), 1, "{text}");
    }
    assert_eq!(verdict("http/mod.rs", "use crate::store::Store;").len(), 1);
    assert_eq!(verdict("uci/mod.rs", "use crate::analysis::Service;").len(), 1);
    assert_eq!(verdict("engine/mod.rs", "use crate::*;").len(), 1);
    assert_eq!(verdict("attic/mod.rs", "").len(), 1);
}

#[test]
fn what_points_down_or_stays_inside_is_no_fault() {
    for text in [
        "use crate::chess::Square;",
        "use crate::engine::tt::Table;",
        "use super::super::tt::Table;",
        "mod tests { use super::super::super::Score; }",
        "use super::tt::Table;",
        "/// Not a path: crate::http::Router\n// use crate::http::Router;\n/* use crate::http; /* nested */ */",
        "const TEXT: &str = \"crate::http \\\" println!\";",
        "const TEXT: &str = r#\"use crate::http::\"Router\";\"#;",
        "fn f<'a>(x: &'a str) -> &'a str { x }",
    ] {
        assert_eq!(verdict("engine/search/root.rs", text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(
        verdict("app.rs", "use crate::{http, store, uci}; use tokio::net::TcpListener;"),
        Vec::<String>::new()
    );
}

#[test]
fn the_rules_name_the_standard_library_only() {
    for text in [
        "use serde::Serialize;",
        "use tokio::sync::Mutex;",
        "fn f() { println!(); }",
        "use std::time::Instant;",
    ] {
        assert!(!verdict("chess/fen.rs", text).is_empty(), "{text}");
    }
    assert_eq!(
        verdict(
            "chess/fen.rs",
            "use std::fmt; fn pretty_println() {} mod config {} use config::X;"
        )
        .len(),
        1
    );
    assert!(verdict("engine/search.rs", "use std::time::Instant; use std::sync::Arc;").is_empty());
    assert!(!verdict("engine/search.rs", "let x = std::env::var(\"X\");").is_empty());
}
