//! A search that a node of a cluster offers to the others.

use kibitzer::analysis::RemoteSearch;

/// Decodes the bytes as an offered search. What is accepted has one encoding.
pub(crate) fn check(data: &[u8]) -> bool {
    let Ok(search) = RemoteSearch::from_bytes(data) else { return false };
    let bytes = search.to_bytes();
    let again = RemoteSearch::from_bytes(&bytes).map(|search| search.to_bytes());
    assert_eq!(again.ok(), Some(bytes), "the encoding changes");
    assert!(search.game.moves().len() <= 512 && !search.game.outcome().is_over());
    // Most bytes are no report of this search, and none may make the decoder panic.
    let report = search.decode(data.split_at(data.len() / 2).1);
    assert!(report.is_none(), "a part of the search is no report");
    true
}
