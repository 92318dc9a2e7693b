//! Fuzzes the reader of FENs: `cargo +nightly fuzz run --fuzz-dir tests/fuzz fen`.

#![no_main]

#[path = "../../mutations/inputs/fen.rs"]
mod fen;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fen::read(data);
});
