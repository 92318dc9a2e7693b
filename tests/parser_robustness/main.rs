//! Robustness of every parser of client input, and of what nodes send each other: no input may
//! cause a panic.
//!
//! Each parser gets 20,000 inputs, or 1.25 million when `KIBITZER_FULL` is set. Half of them are
//! mutations of valid inputs, the others are noise. The seed is fixed. The fuzz targets in
//! `tests/fuzz` call the same functions.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and prints why"
)]

#[path = "../support/full_run.rs"]
mod full_run;
mod inputs;
mod mutate;
#[path = "../support/random.rs"]
mod random;
mod seeds;

use random::Random;

/// The inputs of one parser.
struct RobustnessCase<'a> {
    name: &'a str,
    /// Parses an input and checks the result; `true` if the parser accepted the input.
    parse: fn(&[u8]) -> bool,
    valid: &'a [Vec<u8>],
    /// Mutates a valid input with characters of the alphabet.
    mutate: fn(&mut Random, &[u8], &[u8]) -> Vec<u8>,
    alphabet: &'a [u8],
}

impl RobustnessCase<'_> {
    /// Parses all inputs. The parser must accept at least a tenth of them, or the test would not
    /// reach the code behind it.
    fn run(&self, mut random: Random) {
        for valid in self.valid {
            assert!((self.parse)(valid), "{} is valid", String::from_utf8_lossy(valid));
        }
        let count = if full_run::is_full_run() { 1_250_000 } else { 20_000 };
        let mut accepted = 0;
        for n in 0..count {
            let input = if n % 2 == 0 {
                let valid = random.pick(self.valid);
                (self.mutate)(&mut random, valid, self.alphabet)
            } else {
                mutate::noise(&mut random, self.alphabet)
            };
            let report = ReportOnPanic { name: self.name, input: &input };
            accepted += u32::from((self.parse)(&input));
            drop(report);
        }
        let share = f64::from(accepted) / f64::from(count);
        println!("{}: {count} inputs, {:.1}% accepted", self.name, 100.0 * share);
        assert!(share >= 0.1, "the parser accepted only {:.1}% of the inputs", 100.0 * share);
    }
}

/// Prints the input that made a parser panic.
struct ReportOnPanic<'a> {
    name: &'a str,
    input: &'a [u8],
}

impl Drop for ReportOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{} panicked at {:?}", self.name, String::from_utf8_lossy(self.input));
            eprintln!("as bytes: {:?}", self.input);
        }
    }
}

#[test]
fn no_fen_makes_the_parser_panic() {
    let mut random = Random::new(1);
    let valid = seeds::fens(&seeds::positions(&mut random, 500));
    let alphabet = b"pnbrqkPNBRQK12345678//  wb--KQkqAHah0129_";
    RobustnessCase {
        name: "FEN",
        parse: inputs::fen::check,
        valid: &valid,
        mutate: mutate::rewrite_fen,
        alphabet,
    }
    .run(random);
}

#[test]
fn no_move_text_makes_the_parser_panic() {
    let (valid, alphabet) = (seeds::move_texts(), b"abcdefgh12345678NBRQKnbrqOo0x+#=!?-()/");
    let read = inputs::move_text::check;
    RobustnessCase {
        name: "move text",
        parse: read,
        valid: &valid,
        mutate: mutate::rewrite_move,
        alphabet,
    }
    .run(Random::new(2));
}

#[test]
fn no_packed_form_makes_the_parser_panic() {
    let mut random = Random::new(3);
    let valid = seeds::packed(&seeds::positions(&mut random, 1_000));
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    RobustnessCase {
        name: "packed form",
        parse: inputs::packed::check,
        valid: &valid,
        mutate: mutate::rewrite_packed,
        alphabet,
    }
    .run(random);
}

#[test]
fn no_request_body_makes_a_route_panic() {
    let mut random = Random::new(4);
    let positions = seeds::positions(&mut random, 300);
    let valid = seeds::bodies(&mut random, &positions);
    let alphabet = b"{}[]\":,\\ntrue0123456789.-+eE fenmovspackd/KQkqw\n";
    RobustnessCase {
        name: "request body",
        parse: inputs::body::check,
        valid: &valid,
        mutate: mutate::rewrite_json,
        alphabet,
    }
    .run(random);
}

#[test]
fn no_uci_line_makes_the_parser_panic() {
    let mut random = Random::new(5);
    let valid = seeds::uci_lines(&seeds::positions(&mut random, 100));
    let alphabet = b"abcdefghnopqrstuvwx 0123456789 \t-+_/KQkq";
    let read = inputs::uci_line::check;
    RobustnessCase {
        name: "UCI line",
        parse: read,
        valid: &valid,
        mutate: mutate::reorder_words,
        alphabet,
    }
    .run(random);
}

#[test]
fn no_offered_search_makes_the_decoder_panic() {
    let mut random = Random::new(7);
    let positions = seeds::positions(&mut random, 200);
    let valid = seeds::remote_searches(&mut random, &positions);
    RobustnessCase {
        name: "offered search",
        parse: inputs::remote_search::check,
        valid: &valid,
        mutate: mutate::rewrite_search,
        alphabet: b"\x00\x01\x02\x7f\x80\xff /wb-KQkq",
    }
    .run(random);
}

#[test]
fn no_pgn_makes_the_parser_panic() {
    let mut random = Random::new(6);
    let valid = seeds::games(&seeds::positions(&mut random, 200));
    let alphabet = b"(){}[];$%\"\\ \r\n.*!?+-=/0123456789abcdefghNBRQKOx\xfc\xe9";
    RobustnessCase {
        name: "PGN game",
        parse: inputs::pgn::check,
        valid: &valid,
        mutate: mutate::rewrite_game,
        alphabet,
    }
    .run(random);
}
