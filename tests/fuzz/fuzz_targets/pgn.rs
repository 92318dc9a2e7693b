//! Fuzzes the parser of PGN games: `cargo +nightly fuzz run --fuzz-dir tests/fuzz pgn`.

#![no_main]

#[path = "../../parser_robustness/inputs/pgn.rs"]
mod pgn;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    pgn::check(data);
});
