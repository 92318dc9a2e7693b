//! Vectors of the board and move formats: every field of every line of the suite files, and of
//! `views.jsonl` in this folder.

#[path = "../support/suites.rs"]
mod suites;

mod json;
mod notation;
mod packed;
mod positions;
mod vectors;

use std::process::ExitCode;

use libtest_mimic::{Failed, Trial};
use suites::Suite;

/// Vectors that are part of the repository. `views.py` writes them.
const VIEWS: &str = include_str!("views.jsonl");

fn main() -> ExitCode {
    let views_trial = Trial::test("magics_and_zobrist_numbers_match", || {
        positions::magics_and_zobrist_numbers(VIEWS).map_err(Failed::from)
    });
    let suites = vec![
        Suite {
            name: "every_encoding_of_a_position_matches",
            file: "formats/positions.jsonl",
            check: positions::every_encoding,
        },
        Suite {
            name: "applied_moves_are_undone",
            file: "formats/positions.jsonl",
            check: positions::undoable_moves,
        },
        Suite {
            name: "the_packed_form_is_read_back",
            file: "formats/positions.jsonl",
            check: packed::read_back,
        },
        Suite {
            name: "invalid_packed_forms_are_refused",
            file: "formats/packed_refused.jsonl",
            check: packed::refused,
        },
        Suite {
            name: "every_spelling_of_a_fen_gives_one_position",
            file: "formats/positions.jsonl",
            check: positions::spellings,
        },
        Suite {
            name: "every_spelling_of_a_move_gives_one_move",
            file: "formats/positions.jsonl",
            check: notation::written_moves,
        },
        Suite {
            name: "move_texts_are_read_or_refused",
            file: "formats/move_texts.jsonl",
            check: notation::move_texts,
        },
        Suite {
            name: "fens_are_read_or_refused",
            file: "formats/fens.jsonl",
            check: notation::fens,
        },
        Suite { name: "valid_fens_are_read", file: "fen/valid.fen", check: notation::valid_fens },
        Suite {
            name: "invalid_fens_are_refused_or_corrected",
            file: "fen/invalid.fen",
            check: notation::invalid_fens,
        },
    ];
    suites::run(suites, vec![views_trial])
}
