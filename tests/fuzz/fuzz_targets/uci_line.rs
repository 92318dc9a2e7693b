//! Fuzzes the parser of UCI lines: `cargo +nightly fuzz run --fuzz-dir tests/fuzz uci_line`.

#![no_main]

#[path = "../../parser_robustness/inputs/uci_line.rs"]
mod uci_line;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    uci_line::check(data);
});
