//! Fuzzes the parser of packed forms: `cargo +nightly fuzz run --fuzz-dir tests/fuzz packed`.

#![no_main]

#[path = "../../parser_robustness/inputs/packed.rs"]
mod packed;
#[path = "../../parser_robustness/inputs/position.rs"]
mod position;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    packed::check(data);
});
