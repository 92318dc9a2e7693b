//! The output of a command whose reader leaves.

use std::io;
use std::process::Command;

use kibitzer_trainer::commands::output::is_reader_left;

#[test]
fn a_command_whose_reader_leaves_exits_with_141_and_prints_nothing() {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_kibitzer-trainer"))
        .args(["info", concat!(env!("CARGO_MANIFEST_DIR"), "/../src/nnue/kibitzer.nnue")])
        .stdout(writer)
        .output()
        .expect("the trainer");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(141));
}

#[test]
fn a_broken_pipe_to_another_program_is_not_a_reader_that_leaves() {
    let error = anyhow::Error::from(io::Error::from(io::ErrorKind::BrokenPipe));
    assert!(!is_reader_left(&error));
}
