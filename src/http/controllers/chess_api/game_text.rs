//! Moves of a game in a text or in HTML, such as a list of moves copied from a web page.

use crate::chess::pgn::{PgnErrorKind, PgnReader};
use crate::chess::{Game, ParseMoveError, Position, parse_move};

/// Reads the first game of a text. A text that is no PGN is read word by word; words that are no
/// moves, such as names and clocks, are skipped.
///
/// # Errors
/// A description of the first error, or the text has no moves.
pub(super) fn read_game(text: &str) -> Result<Game, String> {
    let plain = without_tags(text);
    match first_game(&plain)? {
        Some(game) => Ok(game),
        None => first_game(&moves_only(&plain))?
            .ok_or_else(|| "input has no moves; it must have the moves of a game".to_owned()),
    }
}

/// The first game of a PGN that has moves. `None` if the text is no PGN.
fn first_game(text: &str) -> Result<Option<Game>, String> {
    for game in PgnReader::new(text) {
        match game {
            Ok(game) if game.line.moves.is_empty() => {}
            Ok(game) => return Ok(Some(game.to_game())),
            Err(bad) if bad.error.kind == PgnErrorKind::Move(ParseMoveError::NotAMove) => {
                return Ok(None);
            }
            Err(bad) => return Err(format!("input: {}", bad.error)),
        }
    }
    Ok(None)
}

/// The words of a text that have the form of a move.
fn moves_only(text: &str) -> String {
    let start = Position::startpos();
    let is_move = |word: &&str| parse_move(&start, word) != Err(ParseMoveError::NotAMove);
    let words = text.split_whitespace().map(without_move_number).filter(is_move);
    words.collect::<Vec<_>>().join(" ")
}

/// `12.Nf3` as `Nf3`.
fn without_move_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if rest.starts_with(['.', '…']) { rest.trim_start_matches(['.', '…']) } else { word }
}

/// A text without its HTML tags. A tag separates words, except for the picture of a piece, which
/// stands before the square of its move.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_after_piece = false;
    let mut rest = text;
    while let Some((before, tagged)) = rest.split_once('<') {
        is_after_piece &= before.is_empty();
        push_text(&mut plain, before);
        let is_tag = tagged.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
            || tagged.starts_with('!');
        if !is_tag {
            plain.push('<');
            rest = tagged;
            continue;
        }
        let Some((tag, after)) = tagged.split_once('>') else {
            // No later tag ends either. Looking for each end would take quadratic time.
            plain.push('<');
            push_text(&mut plain, tagged);
            return plain;
        };
        match piece_of(tag) {
            Some(piece) => {
                // The piece of a promotion ends its move.
                is_after_piece = !plain.ends_with('=');
                plain.push(piece);
            }
            // After `=` follows the picture of the promotion's piece.
            None if !is_after_piece && !plain.ends_with('=') => plain.push(' '),
            None => {}
        }
        rest = after;
    }
    push_text(&mut plain, rest);
    plain
}

/// Adds text between tags, with letters in the place of entities and figurines.
fn push_text(plain: &mut String, text: &str) {
    let text = text.replace("&nbsp;", " ").replace("&#160;", " ").replace("&amp;", "&");
    for letter in text.chars() {
        match letter {
            '♔' | '♚' => plain.push('K'),
            '♕' | '♛' => plain.push('Q'),
            '♖' | '♜' => plain.push('R'),
            '♗' | '♝' => plain.push('B'),
            '♘' | '♞' => plain.push('N'),
            '♙' | '♟' | '\u{fe0e}' | '\u{fe0f}' => {}
            other => plain.push(other),
        }
    }
}

/// The piece that a tag shows as a picture, as on chess.com.
fn piece_of(tag: &str) -> Option<char> {
    let (_, value) = tag.split_once("data-figurine=\"")?;
    value.chars().next().filter(|letter| "KQRBN".contains(*letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Result<Vec<String>, String> {
        let game = read_game(text)?;
        let texts = game.moves().iter().enumerate().map(|(index, &mv)| {
            let position = game.position_before(index).unwrap();
            crate::chess::to_san(position, mv)
        });
        Ok(texts.collect())
    }

    #[test]
    fn pgn_is_read_as_a_game() {
        let text = "[White \"A\"]\n\n1. e4 {best} e5 (1... c5) 2. Nf3 1-0\n\n1. d4 *";
        assert_eq!(moves(text).unwrap(), ["e4", "e5", "Nf3"]);
        assert_eq!(moves("e2e4 e7e5").unwrap(), ["e4", "e5"]);
    }

    #[test]
    fn a_fen_header_sets_the_start() {
        let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7";
        assert_eq!(moves(text).unwrap(), ["e4", "Kd7"]);
    }

    #[test]
    fn the_moves_of_a_page_are_found_among_its_tags_clocks_and_names() {
        let lichess = "<l4x><i5z>1</i5z><kwdb>d4<eval>+0.2</eval></kwdb><kwdb class=\"a1t\">d5\
            </kwdb><i5z>2</i5z><kwdb>Bf4</kwdb></l4x>";
        assert_eq!(moves(lichess).unwrap(), ["d4", "d5", "Bf4"]);
        let with_pictures = "<div>1. <span class=\"node\">e4</span> <span>0:05</span> \
            <span><span class=\"icon knight-black\" data-figurine=\"N\"></span>f6</span></div>\
            <div>Magnus (2850) 0:10</div>";
        assert_eq!(moves(with_pictures).unwrap(), ["e4", "Nf6"]);
        assert_eq!(moves("1.♘f3&nbsp;♞c6").unwrap(), ["Nf3", "Nc6"]);
        let promotion = "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n\
            <p>a8=<i data-figurine=\"Q\"></i> </p><p>Kg7</p>";
        assert_eq!(moves(promotion).unwrap(), ["a8=Q", "Kg7"]);
    }

    #[test]
    fn an_illegal_move_is_an_error_and_not_skipped() {
        let error = moves("1. e4 e5 2. Ke3").unwrap_err();
        assert!(error.contains("Ke3"), "{error}");
        let error = moves("White: e4 Black: e5 White: Ke3").unwrap_err();
        assert!(error.contains("Ke3"), "{error}");
    }

    #[test]
    fn a_text_without_moves_is_an_error() {
        for text in ["", "<div ...", "hello world", "1-0", "<p></p>"] {
            assert!(moves(text).unwrap_err().contains("no moves"), "{text}");
        }
    }
}
