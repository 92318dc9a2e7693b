//! Fuzzes the decoder of searches that nodes offer: `cargo +nightly fuzz run --fuzz-dir tests/fuzz
//! remote_search`.

#![no_main]

#[path = "../../parser_robustness/inputs/remote_search.rs"]
mod remote_search;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    remote_search::check(data);
});
