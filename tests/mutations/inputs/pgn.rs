//! Games in PGN.

use kibitzer::chess::pgn::{Headers, PgnGame, PgnReader, decode, write};

/// Reads any bytes as games. `true` when one of them has moves and is not bad.
pub(crate) fn read(data: &[u8]) -> bool {
    let text = decode(data);
    let mut has_moves = false;
    for (place, game) in PgnReader::new(&text).enumerate() {
        match game {
            Ok(game) => {
                assert_reads_back(&game);
                has_moves |= !game.line.moves.is_empty();
            }
            Err(bad) => {
                let error = &bad.error;
                assert_eq!(error.game, place, "{error}");
                assert!(error.ply >= 1 && error.text.chars().count() <= 200, "{error}");
                let line =
                    text.split(['\n', '\r']).find(|line| line.chars().count() + 1 >= error.column);
                assert!(error.line >= 1 && error.column >= 1 && line.is_some(), "{error}");
            }
        }
    }
    has_moves
}

/// What was read can be played, and comes back the same when it is written and read again.
fn assert_reads_back(game: &PgnGame) {
    let played = game.to_game();
    assert_eq!(played.moves().len(), game.line.moves.len());
    if game.start.halfmove_clock() > 150 {
        return;
    }
    let text = write(game);
    let mut again = PgnReader::new(&text);
    let Some(Ok(second)) = again.next() else { panic!("written, but not read back:\n{text}") };
    assert!(again.next().is_none(), "one game became two:\n{text}");
    let bare = |game: &PgnGame| PgnGame { headers: Headers::new(), ..game.clone() };
    assert!(bare(&second) == bare(game), "another game came back:\n{text}");
    assert_eq!(write(&second), text, "a second spelling");
}
