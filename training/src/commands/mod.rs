//! What the program does, one file a command.

pub mod calibrate;
pub mod evaluate;
pub mod export;
pub mod info;
pub mod measure;
pub mod train;
pub mod wdl;

use std::path::Path;

use anyhow::{Context, Result};

use crate::network_file;
use crate::quantised::Quantised;

/// The network of a file.
fn read_network(path: &Path) -> Result<Quantised> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    network_file::read(&bytes).with_context(|| path.display().to_string())
}
