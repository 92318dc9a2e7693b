//! The vectors of the formats: every field of every line of the suites' files.

#[path = "../support/suites.rs"]
mod suites;

mod fens;
mod json;
mod move_texts;
mod packed;
mod positions;

use std::process::ExitCode;

use suites::Suite;

fn main() -> ExitCode {
    suites::run(vec![
        Suite {
            name: "every_form_of_a_position",
            file: "formats/positions.jsonl",
            check: positions::every_encoding,
        },
        Suite {
            name: "instructions_can_be_undone",
            file: "formats/positions.jsonl",
            check: positions::reversible_moves,
        },
        Suite {
            name: "the_packed_form_is_read_back",
            file: "formats/positions.jsonl",
            check: packed::read_back,
        },
        Suite {
            name: "packed_forms_to_refuse",
            file: "formats/packed_refused.jsonl",
            check: packed::refused,
        },
        Suite {
            name: "every_spelling_is_one_position",
            file: "formats/positions.jsonl",
            check: positions::spellings,
        },
        Suite {
            name: "every_spelling_is_one_move",
            file: "formats/positions.jsonl",
            check: move_texts::written_moves,
        },
        Suite { name: "move_texts", file: "formats/move_texts.jsonl", check: move_texts::texts },
        Suite { name: "fens", file: "formats/fens.jsonl", check: fens::vectors },
        Suite { name: "valid_fens", file: "fen/valid.fen", check: fens::valid },
        Suite { name: "invalid_fens", file: "fen/invalid.fen", check: fens::invalid },
    ])
}

/// Runs a check on every line that is not empty and gathers what it has to say.
fn each_line(text: &str, check: impl Fn(&str) -> Result<(), String>) -> Result<(), String> {
    let lines: Vec<_> =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return Err("the file has no lines".to_owned());
    }
    let complain = |(number, line): &(usize, &str)| {
        check(line).err().map(|why| format!("line {}: {why}", number + 1))
    };
    let complaints: Vec<_> = lines.iter().filter_map(complain).collect();
    match complaints.as_slice() {
        [] => Ok(()),
        some => Err(format!(
            "{} of {} lines\n{}",
            some.len(),
            lines.len(),
            some.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
        )),
    }
}

/// The same for lines of JSON.
fn each_json(
    text: &str,
    check: impl Fn(&serde_json::Value) -> Result<(), String>,
) -> Result<(), String> {
    each_line(text, |line| {
        let value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        check(&value)
    })
}

/// The text of a member.
fn text_of<'a>(line: &'a serde_json::Value, member: &str) -> Result<&'a str, String> {
    line[member].as_str().ok_or_else(|| format!("no text in {member}"))
}
