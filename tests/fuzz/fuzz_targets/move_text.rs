//! Fuzzes the reader of moves in UCI and SAN: `cargo +nightly fuzz run --fuzz-dir tests/fuzz move_text`.

#![no_main]
#![allow(dead_code, reason = "each target uses one of the shared inputs")]

#[path = "../../inputs/mod.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    inputs::move_text::read(data);
});
