//! The program `kibitzer-uci`: `kibitzer uci` for tools that start an engine by its path alone.
//!
//! It starts `kibitzer` of its own folder, or else of `PATH`, and passes its arguments on. A link
//! named `kibitzer-uci` would do the same, but `cargo install` makes none and Windows has none.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let program = beside_this_program().unwrap_or_else(|| PathBuf::from(program_name()));
    let mut command = Command::new(&program);
    command.arg("uci").args(env::args_os().skip(1));
    run(&mut command).unwrap_or_else(|error| {
        // Without a stderr the exit status alone reports the failure.
        let _ = writeln!(
            io::stderr(),
            "kibitzer-uci: cannot start {}: {error}; kibitzer must be in the folder of \
             kibitzer-uci or in PATH",
            program.display()
        );
        ExitCode::FAILURE
    })
}

fn program_name() -> OsString {
    format!("kibitzer{}", env::consts::EXE_SUFFIX).into()
}

fn beside_this_program() -> Option<PathBuf> {
    let own = env::current_exe().ok()?;
    Some(own.with_file_name(program_name())).filter(|program| program.is_file())
}

/// Becomes the other program: no second process stays between it and the GUI.
#[cfg(unix)]
fn run(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs the other program with the GUI's pipes, and ends with its status.
#[cfg(not(unix))]
fn run(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
