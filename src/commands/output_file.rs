//! A file that appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::BoxError;

/// A file that is written at the end.
pub(super) struct OutputFile {
    /// The path, without links: a rename would replace a link instead of its target.
    path: PathBuf,
    /// The file that is replaced.
    existing: Option<fs::Metadata>,
}

impl OutputFile {
    /// Checks that the file can be written, before the work that fills it.
    pub(super) fn check(path: &Path) -> Result<OutputFile, BoxError> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let existing = fs::metadata(&path).ok();
        let file = OutputFile { path, existing };
        let checked = match &file.existing {
            Some(existing) if existing.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            _ if file.is_special() => Ok(()),
            _ => file.replacement().map(drop),
        };
        checked.map_err(|error| file.named(&error))?;
        Ok(file)
    }

    /// Writes the content and puts the file in its place.
    pub(super) fn write_whole(&self, content: &[u8]) -> Result<(), BoxError> {
        self.try_write(content).map_err(|error| self.named(&error))
    }

    /// `true` if the file is the one at this path.
    pub(super) fn is_same_as(&self, path: Option<&Path>) -> bool {
        path.and_then(|path| fs::canonicalize(path).ok()).is_some_and(|path| path == self.path)
    }

    /// The path, for messages.
    pub(super) fn name(&self) -> impl std::fmt::Display {
        self.path.display()
    }

    fn try_write(&self, content: &[u8]) -> io::Result<()> {
        if self.is_special() {
            return File::options().write(true).open(&self.path)?.write_all(content);
        }
        let mut file = self.replacement()?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map(drop).map_err(|error| error.error)
    }

    /// `true` for a device or a pipe, which can't be replaced.
    fn is_special(&self) -> bool {
        self.existing.as_ref().is_some_and(|existing| !existing.is_file())
    }

    /// A file beside the path, which becomes it by a rename.
    fn replacement(&self) -> io::Result<NamedTempFile> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".kibitzer-");
        #[cfg(unix)]
        builder.permissions(permissions(self.existing.as_ref()));
        builder.tempfile_in(folder.unwrap_or(Path::new(".")))
    }

    fn named(&self, error: &io::Error) -> BoxError {
        format!("{}: {error}", self.path.display()).into()
    }
}

/// The permissions of the file that is replaced, or those of any new file.
#[cfg(unix)]
fn permissions(existing: Option<&fs::Metadata>) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    existing.map_or_else(|| fs::Permissions::from_mode(0o666), fs::Metadata::permissions)
}
