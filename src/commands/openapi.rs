//! `kibitzer openapi`: the HTTP contract as YAML.

use std::io::{self, Write};
use std::process::ExitCode;

use super::BoxError;

pub(crate) fn run() -> Result<ExitCode, BoxError> {
    let yaml = kibitzer::http::contract().to_yaml()?;
    io::stdout().lock().write_all(yaml.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
