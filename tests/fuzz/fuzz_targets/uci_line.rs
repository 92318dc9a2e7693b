//! Fuzzes the reader of moves in UCI and SAN: `cargo +nightly fuzz run --fuzz-dir tests/fuzz
//! uci_line`.

#![no_main]

#[path = "../../mutations/inputs/uci_line.rs"]
mod uci_line;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    uci_line::read(data);
});
