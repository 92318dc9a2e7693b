//! Lines of the Universal Chess Interface.

use kibitzer::uci::{Command, Go};

/// Parses the bytes as a line.
pub(crate) fn check(data: &[u8]) -> bool {
    // Like the session, replace bytes that are not UTF-8.
    let line = String::from_utf8_lossy(data);
    let command = match Command::parse(&line) {
        Ok(Some(command)) => command,
        Ok(None) => {
            assert!(line.trim().is_empty(), "{line:?} was ignored");
            return false;
        }
        Err(error) => {
            assert!(error.to_string().chars().count() <= 300, "{error}");
            return false;
        }
    };
    match command {
        Command::SetOption { name, .. } => {
            assert!(
                !name.is_empty() && name.split(' ').all(|word| !word.is_empty()),
                "{name:?} of {line:?}"
            );
        }
        Command::Position(text) => {
            assert!(
                text.moves.iter().all(|mv| !mv.is_empty() && !mv.contains(char::is_whitespace)),
                "{line:?}"
            );
            assert!(text.fen.is_none_or(|fen| !fen.contains("  ")), "{line:?}");
        }
        Command::Go(Go { depth, nodes, mate, moves_to_go, .. }) => {
            // A limit of 0 would allow no search.
            assert!(
                depth != Some(0) && nodes != Some(0) && mate != Some(0) && moves_to_go != Some(0),
                "{line:?}"
            );
        }
        _ => {}
    }
    true
}
