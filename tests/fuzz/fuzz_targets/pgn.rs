//! Fuzzes the reader of games: `cargo +nightly fuzz run --fuzz-dir tests/fuzz pgn`.

#![no_main]

#[path = "../../mutations/inputs/pgn.rs"]
mod pgn;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    pgn::read(data);
});
