//! Rejected games. The games before and after them are still read.

use super::*;
use crate::chess::ParseMoveError;

/// The only bad game of a text, which must be the second of three.
fn bad_game(middle: &str) -> BadGame {
    let text = format!(
        "[Event \"1\"]\n\n1. e4 *\n\n[Event \"2\"]\n{middle}\n\n[Event \"3\"]\n\n1. d4 d5 *\n"
    );
    let mut read: Vec<_> = PgnReader::new(&text).collect();
    assert_eq!(read.len(), 3, "games in {text}");
    assert_eq!(
        read[2].as_ref().map(|game| game.line.moves.len()),
        Ok(2),
        "the game after {middle}"
    );
    assert_eq!(read[0].as_ref().map(|game| game.line.moves.len()), Ok(1));
    let Err(bad) = read.remove(1) else { panic!("{middle} is accepted") };
    assert_eq!((bad.error.game, bad.headers.get("Event")), (1, Some("2")));
    bad
}

#[test]
fn errors_carry_ply_line_and_column() {
    let PgnError { ply, line, column, text, kind, .. } =
        bad_game("\n1. e4 {ä} e5 2. Nf9 Nc6 1-0").error;
    assert_eq!((ply, line, column, text.as_str()), (3, 7, 17, "Nf9"));
    assert_eq!(kind, PgnErrorKind::Move(ParseMoveError::NotAMove));
}

#[test]
fn each_error_kind_has_a_name() {
    for (text, name) in [
        ("\n1. e4 e5 2. Ke3 *", "not_legal"),
        ("\n1. e4 Ke5 *", "not_legal"),
        ("\n1. e4 e5 2. what *", "not_a_move"),
        ("[FEN \"4k3/8/8/8/8/8/4K3/R4R2 w - - 0 1\"]\n\n1. Rd1 *", "ambiguous"),
        ("\n1. e4 -- 2. d4 *", "null_move"),
        ("\n1. e4 0000 2. d4 *", "null_move"),
        ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *", "invalid_fen"),
        ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n", "invalid_fen"),
        ("[Variant \"Crazyhouse\"]\n\n1. e4 *", "unknown_variant"),
        ("\n1. e4 {never closed", "unclosed_comment"),
        ("\n1. f3 e5 2. g4 Qh4# 3. a3 *", "not_legal"),
    ] {
        assert_eq!(bad_game(text).error.kind.name(), name, "{text}");
    }
}

#[test]
fn a_bad_fen_header_is_reported_at_its_position() {
    let error = bad_game("[White \"x\"]\n[FEN \"nonsense\"]\n\n1. e4 *").error;
    assert_eq!((error.line, error.column, error.ply, error.text.as_str()), (7, 1, 1, "nonsense"));
}

#[test]
fn limits_are_enforced() {
    let headers: String = (0..=MAX_HEADERS).map(|n| format!("[T{n} \"\"]\n")).collect();
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(MAX_GAME_MOVES / 4);
    let nested = |depth: usize| format!("\ne4 {}{} *", "(d4 ".repeat(depth), ")".repeat(depth));
    let long = |bytes: usize| format!("[Event \"{}\"]\n", "x".repeat(bytes - 5));
    let many = |count: usize| -> String {
        (0..count).map(|n| format!("[T{:0>7} \"{}\"]\n", n, "x".repeat(4_088))).collect()
    };
    assert_eq!(bad_game(&headers).error.kind, PgnErrorKind::TooManyHeaders);
    assert_eq!(bad_game(&long(MAX_HEADER_BYTES + 1)).error.kind, PgnErrorKind::HeaderTooLong);
    assert_eq!(game(&(long(MAX_HEADER_BYTES) + "\n1. e4 *")).headers.len(), 1);
    assert_eq!(game(&(many(16) + "\n1. e4 *")).headers.len(), 16);
    assert_eq!(bad_game(&many(17)).error.kind, PgnErrorKind::TooManyHeaders);
    assert_eq!(bad_game(&format!("\n{moves} e4 *")).error.kind, PgnErrorKind::TooManyMoves);
    assert_eq!(bad_game(&nested(MAX_NESTING + 1)).error.kind, PgnErrorKind::TooDeep);
    assert_eq!(bad_game(&format!("\n{}", "é".repeat(1_000))).error.text.chars().count(), 200);
    assert_eq!(game(&moves).line.moves.len(), MAX_GAME_MOVES);
    assert_eq!(game(&nested(MAX_NESTING)).line.moves.len(), 1);
}

#[test]
fn reading_resumes_after_the_result_of_a_bad_game() {
    let read: Vec<_> = PgnReader::new("1. e4 1-0\n\n1. e5 {0-1} (0-1) d4 0-1\n\n1. d4 *").collect();
    assert_eq!(read.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
}
