//! Fuzzes the parser of moves in UCI and SAN:
//! `cargo +nightly fuzz run --fuzz-dir tests/fuzz move_text`.

#![no_main]

#[path = "../../parser_robustness/inputs/move_text.rs"]
mod move_text;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    move_text::check(data);
});
