//! `kibitzer uci`

use std::io;
use std::process::ExitCode;

use kibitzer::uci::{Local, Options, Session};

use super::Failure;

pub(crate) fn run() -> Result<ExitCode, Failure> {
    let options = Options::default();
    Session::new(Local::new(&options), options, io::stdout()).run(io::stdin().lock())?;
    Ok(ExitCode::SUCCESS)
}
