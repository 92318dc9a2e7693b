//! Fuzzes the parser of FENs: `cargo +nightly fuzz run --fuzz-dir tests/fuzz fen`.

#![no_main]

#[path = "../../parser_robustness/inputs/fen.rs"]
mod fen;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fen::check(data);
});
