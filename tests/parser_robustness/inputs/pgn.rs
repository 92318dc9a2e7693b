//! PGN games.

use kibitzer::chess::pgn::{Headers, PgnGame, PgnReader, decode, write};

/// Parses the bytes as games. `true` if one of them is valid and has moves.
pub(crate) fn check(data: &[u8]) -> bool {
    let text = decode(data);
    let mut has_moves = false;
    for (index, game) in PgnReader::new(&text).enumerate() {
        match game {
            Ok(game) => {
                assert_reads_back(&game);
                has_moves |= !game.line.moves.is_empty();
            }
            Err(bad) => {
                let error = &bad.error;
                assert_eq!(error.game, index, "{error}");
                assert!(error.ply >= 1 && error.text.chars().count() <= 200, "{error}");
                let line =
                    text.split(['\n', '\r']).find(|line| line.chars().count() + 1 >= error.column);
                assert!(error.line >= 1 && error.column >= 1 && line.is_some(), "{error}");
            }
        }
    }
    has_moves
}

/// Asserts that a game can be played, and is the same after it is written and read again.
fn assert_reads_back(game: &PgnGame) {
    let played = game.to_game();
    assert_eq!(played.moves().len(), game.line.moves.len());
    if game.start.halfmove_clock() > 150 {
        return;
    }
    let text = write(game);
    let mut again = PgnReader::new(&text);
    let Some(Ok(second)) = again.next() else { panic!("the game was not read back:\n{text}") };
    assert!(again.next().is_none(), "one game was read back as two:\n{text}");
    let without_headers = |game: &PgnGame| PgnGame { headers: Headers::new(), ..game.clone() };
    assert!(
        without_headers(&second) == without_headers(game),
        "another game was read back:\n{text}"
    );
    assert_eq!(write(&second), text, "the game has two spellings");
}
