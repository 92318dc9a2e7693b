//! Fuzzes the parser of packed forms: `cargo +nightly fuzz run --fuzz-dir tests/fuzz packed`.

#![no_main]

#[allow(dead_code, reason = "packed.rs uses its checks of positions only")]
#[path = "../../parser_robustness/inputs/fen.rs"]
mod fen;

#[path = "../../parser_robustness/inputs/packed.rs"]
mod packed;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    packed::check(data);
});
