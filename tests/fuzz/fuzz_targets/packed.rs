//! Fuzzes the reader of packed forms: `cargo +nightly fuzz run --fuzz-dir tests/fuzz packed`.

#![no_main]

#[allow(dead_code, reason = "the packed form needs its claims about positions only")]
#[path = "../../mutations/inputs/fen.rs"]
mod fen;

#[path = "../../mutations/inputs/packed.rs"]
mod packed;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    packed::read(data);
});
