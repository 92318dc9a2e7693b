//! The direction of imports, between layers and between the modules inside a layer, read from the
//! source itself.
//!
//! A layer is a module directly under `src/`. The test compares every path that code names with
//! the list of what each layer may import, and looks for modules that import each other in a
//! circle. Declarations of modules and re-exports are no imports; tests are exempt.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod graph;
mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use graph::ImportGraph;
use source::Module;

/// What each layer may import. A layer may only import layers above it in this list.
const LAYERS: &[(&str, &[&str])] = &[
    ("chess", &[]),
    ("huge_pages", &[]),
    ("time_slices", &[]),
    ("openings", &["chess"]),
    ("render", &["chess"]),
    ("nnue", &["chess", "huge_pages"]),
    ("tablebase", &["chess"]),
    ("engine", &["chess", "huge_pages", "nnue", "tablebase", "time_slices"]),
    ("store", &["chess", "engine"]),
    ("analysis", &["chess", "openings", "nnue", "tablebase", "engine", "store"]),
    ("cluster", &["chess", "store", "analysis"]),
    ("client", &[]),
    ("terminal", &["chess"]),
    ("mcp", &["chess", "client"]),
    ("http", &["chess", "openings", "render", "nnue", "tablebase", "engine", "analysis", "mcp"]),
    ("uci", &["chess", "tablebase", "engine", "client", "time_slices"]),
    ("config", &[]),
    ("telemetry", &["client", "config"]),
];

/// The composition root imports every layer.
const COMPOSITION_ROOT: &[&str] = &["app", "lib"];

/// Layers without async code, environment and printing, which belong further up.
const SYNCHRONOUS_LAYERS: &[&str] = &["chess", "render", "nnue", "tablebase", "engine"];
const FORBIDDEN_IN_SYNCHRONOUS_LAYERS: &[&str] = &[
    "tokio",
    "axum",
    "reqwest",
    "std::env",
    "std::net",
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
    "dbg!",
    "env!",
];

/// What the rules of chess may not use even of the standard library: I/O, clocks, threads.
const FORBIDDEN_IN_CHESS: &[&str] =
    &["std::fs", "std::io", "std::process", "std::thread", "std::time", "std::sync"];

fn project_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn dependencies() -> BTreeSet<String> {
    let manifest = std::fs::read_to_string(project_path("Cargo.toml")).expect("Cargo.toml");
    source::dependencies(&manifest)
}

/// `true` when a path starts with these names.
fn starts_with(path: &str, names: &str) -> bool {
    path.strip_prefix(names).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The paths outside the crate that a module of its layer may not name.
fn forbidden_paths(module: &Module, dependencies: &BTreeSet<String>) -> Vec<String> {
    let layer = module.layer();
    let mut forbidden: Vec<&str> = Vec::new();
    if SYNCHRONOUS_LAYERS.contains(&layer) {
        forbidden.extend(FORBIDDEN_IN_SYNCHRONOUS_LAYERS);
    }
    if layer == "chess" {
        forbidden.extend(FORBIDDEN_IN_CHESS);
        forbidden.extend(dependencies.iter().map(String::as_str));
    }
    let named = module.external_paths.iter();
    let named = named.filter(|path| forbidden.iter().any(|names| starts_with(path, names)));
    named.map(|path| format!("{}: `{layer}` may not name `{path}`", module.name())).collect()
}

/// Every import that points upward.
fn upward_imports(graph: &ImportGraph<'_>) -> Vec<String> {
    let mut violations = Vec::new();
    for (from, to) in &graph.imports {
        let layer = |path: &[String]| path.first().map_or("lib", String::as_str).to_owned();
        let (importer, imported) = (layer(from), layer(to));
        if importer == imported || COMPOSITION_ROOT.contains(&importer.as_str()) {
            continue;
        }
        let allowed = LAYERS.iter().find(|(name, _)| *name == importer);
        if !allowed.is_some_and(|(_, allowed)| allowed.contains(&imported.as_str())) {
            violations.push(format!(
                "{}: `{importer}` may not import `{}`",
                from.join("::"),
                to.join("::")
            ));
        }
    }
    violations
}

/// Every violation of a crate with these modules, in words.
fn violations(modules: &[Module], dependencies: &BTreeSet<String>) -> Vec<String> {
    let graph = ImportGraph::new(modules);
    let mut violations = upward_imports(&graph);
    for module in modules {
        let layer = module.layer();
        let known = LAYERS.iter().any(|(name, _)| *name == layer);
        if !known && !COMPOSITION_ROOT.contains(&layer) {
            violations.push(format!("{}: `{layer}` is not in the list of layers", module.name()));
        }
        violations.extend(forbidden_paths(module, dependencies));
    }
    violations.extend(import_cycles(&graph));
    violations
}

/// Every circle of imports, in words.
fn import_cycles(graph: &ImportGraph<'_>) -> Vec<String> {
    let cycles = graph.cycles_of_files().into_iter().chain(graph.cycles_of_siblings());
    let cycles: BTreeSet<_> = cycles.collect();
    cycles.iter().map(|cycle| format!("a circle of imports: {}", cycle.join(", "))).collect()
}

#[test]
fn imports_point_one_way() {
    let modules = Module::all_under(&project_path("src/lib.rs"));
    assert!(modules.len() > 100, "the test must see the source, not {} modules", modules.len());
    let violations = violations(&modules, &dependencies());
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn commands_do_not_import_each_other_in_a_circle() {
    // The binary has a crate root of its own. Paths that start with `kibitzer` leave it.
    let modules = Module::all_under(&project_path("src/main.rs"));
    assert!(modules.len() > 5, "the test must see the source, not {} modules", modules.len());
    let cycles = import_cycles(&ImportGraph::new(&modules));
    assert!(cycles.is_empty(), "\n{}\n", cycles.join("\n"));
}

#[test]
fn a_layer_imports_only_layers_above_it_in_the_list() {
    for (index, (layer, allowed)) in LAYERS.iter().enumerate() {
        for imported in *allowed {
            let position = LAYERS.iter().position(|(name, _)| name == imported);
            assert!(position.is_some_and(|position| position < index), "`{layer}`: `{imported}`");
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

/// The violations of a crate made of these files: each a module's path and its text.
fn violations_of(files: &[(&str, &str)]) -> Vec<String> {
    let paths: Vec<Vec<&str>> = files.iter().map(|(path, _)| path.split("::").collect()).collect();
    let layers: BTreeSet<&str> = paths.iter().map(|path| path[0]).collect();
    let root: String = layers.iter().map(|layer| format!("mod {layer};")).collect();
    let mut modules = vec![Module::parse(&[], &root)];
    modules.extend(paths.iter().zip(files).map(|(path, (_, text))| Module::parse(path, text)));
    violations(&modules, &dependencies())
}

/// The violations of one file in a crate that has the layers `chess`, `engine` and `http`.
fn violations_of_file(path: &str, text: &str) -> Vec<String> {
    violations_of(&[("chess", ""), ("engine", ""), ("http", ""), (path, text)])
}

#[test]
fn an_upward_import_is_found_in_every_form() {
    for text in [
        "use crate::engine::Engine;",
        "use crate::{chess::Square, engine::{Limits, Score}};",
        "use crate::{\n    // a comment, with a brace }\n    chess::Square,\n    engine,\n};",
        "fn f() -> crate::engine::Score { loop {} }",
        "use super::super::engine::Score;",
        "mod inner { use super::super::super::engine::Score; }",
        "use super::super::{chess, engine};",
        "const QUOTE: char = '\"'; use crate::engine::Score;",
        "fn f() { assert!(true, \"{}\", crate::engine::Score::DRAW); }",
    ] {
        assert_eq!(violations_of_file("chess::fen", text).len(), 1, "{text}");
    }
    assert_eq!(violations_of_file("uci", "use crate::http::Router;").len(), 1);
    assert_eq!(violations_of_file("attic", "").len(), 1);
}

#[test]
fn downward_imports_tests_and_text_are_allowed() {
    for text in [
        "use crate::chess::Square;",
        "use super::super::tt::Table;",
        "#[cfg(test)] mod tests { use crate::http::Router; }",
        "/// Not a path: crate::http::Router\n// use crate::http::Router;\nfn f() {}",
        "const TEXT: &str = \"crate::http \\\" println!\";",
        "const TEXT: &str = r#\"use crate::http::\"Router\";\"#;",
        "fn f<'a>(x: &'a str) -> &'a str { x }",
    ] {
        let violations = violations_of_file("engine::search::root", text);
        assert_eq!(violations, Vec::<String>::new(), "{text}");
    }
    let app = "use crate::{http, engine}; use tokio::net::TcpListener;";
    assert_eq!(violations_of_file("app", app), Vec::<String>::new());
}

#[test]
fn a_cycle_of_files_is_found_through_re_exports() {
    let cycle = violations_of(&[
        ("engine", "mod a; mod b; mod c; pub use a::A;"),
        ("engine::a", "use super::b::B; pub struct A;"),
        ("engine::b", "use super::c; pub struct B(c::C);"),
        ("engine::c", "use crate::engine::A; pub struct C(A);"),
    ]);
    assert_eq!(cycle, ["a circle of imports: engine::a, engine::b, engine::c"]);

    let with_parent = violations_of(&[
        ("engine", "mod a; fn f() { a::g(); } pub struct Limits;"),
        ("engine::a", "use super::Limits; pub fn g() {}"),
    ]);
    assert_eq!(with_parent, ["a circle of imports: engine, engine::a"]);
}

#[test]
fn a_cycle_of_folders_is_found_without_a_cycle_of_files() {
    let cycle = violations_of(&[
        ("engine", "mod search; mod tt;"),
        ("engine::search", "mod node; mod root;"),
        ("engine::search::node", "use crate::engine::tt::entry::Entry;"),
        ("engine::search::root", "pub struct Root;"),
        ("engine::tt", "mod entry; mod table;"),
        ("engine::tt::entry", "pub struct Entry;"),
        ("engine::tt::table", "use crate::engine::search::root::Root;"),
    ]);
    assert_eq!(cycle, ["a circle of imports: engine::search, engine::tt"]);
}

#[test]
fn declarations_and_re_exports_are_no_imports() {
    let files = [
        ("engine", "mod a; mod b; pub use a::A; pub(crate) use self::b::*;"),
        ("engine::a", "use super::B; pub struct A;"),
        ("engine::b", "pub struct B;"),
    ];
    assert_eq!(violations_of(&files), Vec::<String>::new());
}

#[test]
fn chess_uses_the_standard_library_only() {
    for text in [
        "use serde::Serialize;",
        "use tokio::sync::Mutex;",
        "fn f() { println!(); }",
        "fn f() { assert!({ println!(); true }); }",
        "use std::time::Instant;",
    ] {
        assert!(!violations_of_file("chess::fen", text).is_empty(), "{text}");
    }
    let own = "use std::fmt; fn pretty_println() {} mod config { pub struct X; } use config::X;";
    assert_eq!(violations_of_file("chess::fen", own), Vec::<String>::new());
    let clock = "use std::time::Instant; use std::sync::Arc;";
    assert_eq!(violations_of_file("engine::search", clock), Vec::<String>::new());
    assert!(!violations_of_file("engine::search", "fn f() { std::env::var(\"X\"); }").is_empty());
}
