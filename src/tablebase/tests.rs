//! Tests of what needs no table files. tests/tablebases has those with files.

use super::*;

#[test]
fn a_folder_without_tables_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = Tablebase::open(&[folder.path()], 0).err().unwrap();
    assert!(matches!(error, OpenError::NoTables { .. }), "{error}");
    let missing = folder.path().join("missing");
    let error = Tablebase::open(&[&missing], 0).err().unwrap();
    assert!(error.to_string().starts_with(missing.to_str().unwrap()), "{error}");
}
