//! Fuzzes the reader of request bodies: `cargo +nightly fuzz run --fuzz-dir tests/fuzz body`.

#![no_main]
#![allow(dead_code, reason = "each target uses one of the shared inputs")]

#[path = "../../inputs/mod.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    inputs::body::read(data);
});
