//! Fuzzes the parser of FENs: `cargo +nightly fuzz run --fuzz-dir tests/fuzz fen`.

#![no_main]

#[path = "../../parser_robustness/inputs/fen.rs"]
mod fen;
#[path = "../../parser_robustness/inputs/position.rs"]
mod position;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fen::check(data);
});
