//! Fuzzes the parser of request bodies: `cargo +nightly fuzz run --fuzz-dir tests/fuzz body`.

#![no_main]

#[path = "../../parser_robustness/inputs/body.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    body::check(data);
});
