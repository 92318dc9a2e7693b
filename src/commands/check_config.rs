//! `kibitzer check-config`: the checks of a configuration, without a server.

use std::io::{self, Write};
use std::process::ExitCode;

use kibitzer::{app, config};

use super::{BoxError, serve};

/// Succeeds when `kibitzer serve` accepts the settings.
pub(crate) fn run(options: &serve::Options) -> Result<ExitCode, BoxError> {
    let settings = options.settings()?;
    let bound_mb = app::check(&settings)?;
    let mut out = io::stdout().lock();
    for warning in config::environment_warnings() {
        writeln!(out, "warning: {warning}")?;
    }
    writeln!(
        out,
        "the configuration is valid; memory bound: {bound_mb} MB (memory.max_mb: {} MB)",
        settings.memory.max_mb
    )?;
    Ok(ExitCode::SUCCESS)
}
