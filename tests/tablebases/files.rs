//! Opening of table files.

use std::fs;

use kibitzer::tablebase::{OpenError, Tablebase};
use libtest_mimic::Failed;

use crate::Tables;

/// All material of three and four men: 5 and 30 sets, each with two files.
pub(crate) fn every_file_is_opened(tables: &Tables) -> Result<(), Failed> {
    let Tables { tablebase, .. } = tables;
    assert_eq!((tablebase.men(), tablebase.wdl_files(), tablebase.dtz_files()), (4, 35, 35));
    assert_ne!(tablebase.fingerprint(), 0);
    Ok(())
}

/// A truncated file, one of another format and one without permission are named.
pub(crate) fn damaged_files_are_named(tables: &Tables) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("KQvK.rtbw");
    let good = fs::read(tables.path("KQvK.rtbw"))?;
    let open = || Tablebase::open(&[folder.path()], 0).err();

    fs::write(&path, &good)?;
    assert!(open().is_none(), "the file is good");
    fs::write(&path, &good[..good.len() - 1])?;
    assert!(matches!(open(), Some(OpenError::WrongLength { path: named, .. }) if named == path));
    fs::write(&path, [])?;
    assert!(matches!(open(), Some(OpenError::WrongMagic { path: named }) if named == path));
    fs::write(&path, fs::read(tables.path("KQvK.rtbz"))?)?;
    assert!(matches!(open(), Some(OpenError::WrongMagic { path: named }) if named == path));
    fs::remove_file(&path)?;
    fs::create_dir(&path)?;
    assert!(matches!(open(), Some(OpenError::Io { path: named, .. }) if named == path));
    Ok(())
}
