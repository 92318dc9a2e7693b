//! Names of openings, compared with their source files: `openings/a.tsv` to `e.tsv` of the suites.
//!
//! With `KIBITZER_ACCEPT` set, the test writes `src/openings/names.txt` from these files:
//! `KIBITZER_SUITES=… KIBITZER_ACCEPT=1 cargo test --test openings`.

#![allow(clippy::panic, reason = "a test fails by panicking")]

mod names;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kibitzer::chess::Game;
use kibitzer::openings::find_by_game;
use libtest_mimic::{Arguments, Failed, Trial};
use names::NamedLine;

const NAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/openings/names.txt");

fn main() -> ExitCode {
    let folder =
        std::env::var_os("KIBITZER_SUITES").map(|folder| PathBuf::from(folder).join("openings"));
    let trial = |name, check: fn(&[NamedLine]) -> Result<(), Failed>| {
        let folder = folder.clone();
        let is_ignored = folder.is_none();
        let run = move || {
            check(&names::read(&folder.ok_or("KIBITZER_SUITES does not name the suite folder")?)?)
        };
        Trial::test(name, run).with_ignored_flag(is_ignored)
    };
    let trials = vec![
        trial("names_txt_is_up_to_date", names_txt_is_up_to_date),
        trial("every_line_has_its_name", every_line_has_its_name),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn names_txt_is_up_to_date(named: &[NamedLine]) -> Result<(), Failed> {
    let text = names::compact(named);
    if std::env::var_os("KIBITZER_ACCEPT").is_some_and(|value| !value.is_empty()) {
        std::fs::write(Path::new(NAMES), &text)?;
    }
    match std::fs::read_to_string(NAMES)? == text {
        true => Ok(()),
        false => {
            Err("src/openings/names.txt differs from the files; KIBITZER_ACCEPT=1 rewrites it"
                .into())
        }
    }
}

fn every_line_has_its_name(named: &[NamedLine]) -> Result<(), Failed> {
    for NamedLine { eco, name, moves } in named {
        let mut game = Game::new(kibitzer::chess::Position::startpos());
        moves.iter().for_each(|&mv| game.play(mv));
        let found = find_by_game(&game).map(|opening| (opening.eco, opening.name));
        if found != Some((eco, name)) {
            return Err(format!("{eco} {name} is found as {found:?}").into());
        }
    }
    Ok(())
}
