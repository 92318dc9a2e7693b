use super::*;
use crate::chess::{CastlingNotation, to_uci};

/// The move that a text names in UCI, or the name of the error.
fn parse(fen: &str, text: &str) -> String {
    let position = Position::from_fen(fen).unwrap();
    match parse_move(&position, text) {
        Ok(mv) => to_uci(&position, mv, CastlingNotation::Standard),
        Err(error) => error.name().to_owned(),
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn san_is_parsed_with_any_suffix() {
    for text in ["Nf3", "Nf3!", "Nf3?!", "Nf3+", "Nf3#", "Ng1f3", "Ngf3", "N1f3", "Ng1-f3", "g1f3"]
    {
        assert_eq!(parse(START, text), "g1f3", "{text}");
    }
    for text in ["e4", "e2e4", "e2-e4", "e4!!"] {
        assert_eq!(parse(START, text), "e2e4", "{text}");
    }
}

#[test]
fn text_that_is_neither_uci_nor_san_is_not_a_move() {
    let texts = [
        "", " ", "+", "x", "Nf", "nf3", "Pe4", "E2E4", " Nf3", "Nf3 ", "♘f3", "--", "0000", "Z0",
        "o-o", "N-f3", "Ng-f3",
    ];
    for text in texts.into_iter().chain([
        "Ng1--f3",
        "Nxxf3",
        "O-O-O-O",
        "O-0",
        "e4e.p.",
        "Nf3=Q",
        "e9",
        "i4",
        "é4",
        "e\u{301}4",
        "\u{0}",
    ]) {
        assert_eq!(parse(START, text), "not_a_move", "{text:?}");
    }
    assert_eq!(parse(START, &"N".repeat(1_000_000)), "not_a_move");
    assert_eq!(parse(START, &"!".repeat(1_000_000)), "not_a_move");
}

#[test]
fn unplayable_moves_are_not_legal() {
    for text in ["e5", "Nd2", "e2e5", "O-O", "Nxf3", "e8=Q", "a1a1", "exd3"] {
        assert_eq!(parse(START, text), "not_legal", "{text}");
    }
}

#[test]
fn a_text_that_matches_two_moves_is_ambiguous() {
    let fen = "4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1";
    assert_eq!(parse(fen, "Nd2"), "ambiguous");
    assert_eq!(parse(fen, "Nbd2"), "b1d2");
    assert_eq!(parse("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a8"), "ambiguous");
}

#[test]
fn a_pawn_capture_names_its_file() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    for text in ["exd5", "ed5", "e4xd5", "e4d5", "exd5+?"] {
        assert_eq!(parse(fen, text), "e4d5", "{text}");
    }
    for text in ["d5", "xd5", "4xd5", "4d5"] {
        assert_eq!(parse(fen, text), "not_legal", "{text}");
    }
}

#[test]
fn a_promotion_is_read_in_every_spelling() {
    let fen = "1n5k/P7/8/8/8/8/8/4K3 w - - 0 1";
    for text in ["a8=N", "a8N", "a8(N)", "a8/N", "a7a8n", "a7a8N", "a8=N!"] {
        assert_eq!(parse(fen, text), "a7a8n", "{text}");
    }
    for text in ["axb8=Q", "axb8Q+", "ab8(Q)", "a7xb8=Q"] {
        assert_eq!(parse(fen, text), "a7b8q", "{text}");
    }
    for text in ["a8=q", "a8=K", "a8=P", "a8q", "a7a8k", "a8=", "a8()", "a8(N"] {
        assert_eq!(parse(fen, text), "not_a_move", "{text}");
    }
    assert_eq!(parse(fen, "a7a8"), "not_legal");
}

#[test]
fn a_promotion_without_its_piece_is_recognised() {
    let position = Position::from_fen("1n5k/P7/8/8/8/8/7p/4K3 w - - 0 1").unwrap();
    let promotion = |text: &str| {
        let mv = parse_promotion_without_piece(&position, text)?;
        assert!(parse_move(&position, text).is_err(), "{text}");
        Some(to_uci(&position, mv, CastlingNotation::Standard))
    };
    for text in ["a7a8", "a8", "a7-a8", "a8+", "a7a8!"] {
        assert_eq!(promotion(text).as_deref(), Some("a7a8q"), "{text}");
    }
    for text in ["axb8", "a7b8", "ab8#"] {
        assert_eq!(promotion(text).as_deref(), Some("a7b8q"), "{text}");
    }
    let long = "a8".repeat(1_000);
    for text in ["", "b8", "h8", "h1", "h2h1", "Ka8", "e1e2", "e2", "a8=", "a8k", &long] {
        assert_eq!(promotion(text), None, "{text}");
    }
}

#[test]
fn castling_is_read_as_a_king_move_and_as_king_takes_rook() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for text in ["e1g1", "e1h1", "O-O", "0-0", "O-O+"] {
        assert_eq!(parse(fen, text), "e1g1", "{text}");
    }
    for text in ["e1c1", "e1a1", "O-O-O", "0-0-0"] {
        assert_eq!(parse(fen, text), "e1c1", "{text}");
    }
    assert_eq!(parse(fen, "Ke1-g1"), "not_legal");
    assert_eq!(parse(fen, "Kg1"), "not_legal");
    assert_eq!(parse(fen, "e1g1q"), "not_legal");
}

#[test]
fn a_step_of_one_square_is_not_castling() {
    // With king f1 and rook h1, f1g1 is a king move and f1h1 is castling.
    let fen = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
    let position = Position::from_fen(fen).unwrap();
    assert!(!parse_move(&position, "f1g1").unwrap().is_castling());
    assert!(parse_move(&position, "f1h1").unwrap().is_castling());
    assert!(!parse_move(&position, "Kg1").unwrap().is_castling());
    assert!(parse_move(&position, "O-O").unwrap().is_castling());
}

#[test]
fn king_takes_rook_has_precedence_over_a_king_move() {
    // The castling rook is on g1, so e1g1 is king takes rook.
    assert_eq!(parse("4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "e1g1"), "e1g1");
    // With king b1 and the rook of short castling on c1, b1c1 is short castling, although the king
    // castles long to c1.
    let position = Position::from_fen("4k3/8/8/8/8/8/8/1KR5 w C - 0 1").unwrap();
    let castling = parse_move(&position, "b1c1").unwrap();
    assert_eq!(castling.castling_side(), Some(crate::chess::CastlingSide::King));
    assert_eq!(
        parse_move(&position, "b1g1"),
        Ok(castling),
        "a wide king move to the g-file names the same move"
    );
}
