use super::*;
use crate::chess::{Position, PositionErrorCode};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn warnings(fen: &str) -> Vec<&'static str> {
    parse_fen(fen).unwrap().warnings.iter().map(|warning| warning.code.name()).collect()
}

fn errors(fen: &str) -> Vec<&'static str> {
    parse_fen(fen).unwrap_err().errors.iter().map(|error| error.code.name()).collect()
}

fn normalised(fen: &str) -> String {
    Position::from_fen(fen).unwrap().fen()
}

#[test]
fn the_start_position_is_read_and_written() {
    let parsed = parse_fen(START).unwrap();
    assert_eq!(parsed.position, Position::startpos());
    assert!(parsed.warnings.is_empty());
    assert_eq!(parsed.position.fen(), START);
    assert_eq!(parsed.position.shredder_fen(), START.replace("KQkq", "HAha"));
}

#[test]
fn the_key_of_the_start_position_is_frozen() {
    assert_eq!(Position::from_fen(START).unwrap().key(), 0x4fba_e928_640e_637c);
}

#[test]
fn every_error_of_a_fen_is_reported_in_the_order_of_its_fields() {
    let fen = "rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPP/RNBQKBNR q KZ e9 x 99999999999999999999999";
    let invalid = parse_fen(fen).unwrap_err();
    let seen: Vec<_> =
        invalid.errors.iter().map(|f| (f.code.name(), f.field.name(), f.text.as_str())).collect();
    assert_eq!(
        seen,
        [
            ("rank_length", "board", "PPPPPPP"),
            ("unknown_piece", "board", "x"),
            ("side_unknown", "side", "q"),
            ("castling_unknown", "castling", "Z"),
            ("en_passant_unknown", "en_passant", "e9"),
            ("clock_not_a_number", "halfmove_clock", "x"),
            ("clock_range", "fullmove_number", "99999999999999999999999"),
        ]
    );
}

#[test]
fn an_incomplete_fen_names_its_missing_fields() {
    let detail_of = |fen: &str| parse_fen(fen).unwrap_err().errors[0].detail.clone();
    let fields = ["4k3/8/8/8/8/8/8/4K3", "w", "-"];
    for (count, expected) in [
        (
            1,
            "1 field; it must have 4, 5 or 6; side to move, castling rights and en passant square \
             are missing",
        ),
        (2, "2 fields; it must have 4, 5 or 6; castling rights and en passant square are missing"),
        (3, "3 fields; it must have 4, 5 or 6; the en passant square is missing"),
    ] {
        assert_eq!(detail_of(&fields[..count].join(" ")), format!("the FEN has {expected}"));
    }
    assert_eq!(detail_of("nonsense"), "the FEN has 1 field; it must have 4, 5 or 6");
    assert_eq!(
        detail_of("4k3/8/8/8/8/8/8/4K3 w - - 0 1 1"),
        "the FEN has 7 fields; it must have 4, 5 or 6"
    );
    for empty in ["", " ", "__"] {
        assert_eq!(detail_of(empty), "the FEN is empty; it must have 4, 5 or 6 fields");
        assert_eq!(errors(empty), ["fen_fields"]);
    }
}

#[test]
fn a_position_is_validated_even_when_another_field_is_invalid() {
    assert_eq!(errors("8/8/8/8/8/8/8/4K3 w - - x 1"), ["no_king", "clock_not_a_number"]);
    assert_eq!(errors("4k3/8/8/8/8/8/8/3KK3 x - - 0 1"), ["too_many_kings", "side_unknown"]);
}

#[test]
fn errors_of_the_position_quote_the_field_as_given() {
    let invalid = parse_fen("4k3/44/8/8/8/8/4R3/4K3 w - - 0 1").unwrap_err();
    assert_eq!(invalid.errors[0].text, "4k3/44/8/8/8/8/4R3/4K3");
    assert_eq!(invalid.errors[0].code, PositionErrorCode::OpponentInCheck);
}

#[test]
fn the_right_of_an_inner_rook_is_written_as_its_file() {
    let fen = "4k3/8/8/8/8/8/8/2R1K1RR w G - 0 1";
    assert_eq!(normalised(fen), fen);
    assert_eq!(
        normalised("4k3/8/8/8/8/8/8/2R1K1RR w KC - 0 1"),
        "4k3/8/8/8/8/8/8/2R1K1RR w KQ - 0 1"
    );
    assert_eq!(Position::from_fen(fen).unwrap().shredder_fen(), fen);
}

#[test]
fn both_rooks_may_be_on_one_side_of_the_king() {
    let fen = "1krr4/8/8/8/8/8/8/1KRR4 w Cc - 0 1";
    assert_eq!(normalised(fen), fen);
    assert_eq!(errors("1krr4/8/8/8/8/8/8/1KRR4 w CD - 0 1"), ["castling_conflict"]);
}

#[test]
fn rights_without_a_rook_are_dropped_before_conflicts_are_detected() {
    assert_eq!(warnings("4k3/8/8/8/8/8/8/2R1K2R w KG - 0 1"), ["castling_dropped"]);
    assert_eq!(
        warnings("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1"),
        ["castling_dropped", "castling_dropped"]
    );
}

#[test]
fn the_en_passant_square_is_kept_only_if_a_capture_is_legal() {
    let legal = "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3";
    assert_eq!(normalised(legal), legal);
    assert_eq!(normalised("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1"), "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1");
}

#[test]
fn a_dropped_en_passant_square_causes_a_warning_only_with_a_clock_above_0() {
    assert!(warnings("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").is_empty());
    assert_eq!(
        warnings("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 3 1"),
        ["en_passant_dropped"]
    );
}

#[test]
fn a_check_that_a_double_push_cannot_cause_is_rejected() {
    // The knight on f3 gave check before the pawn moved from d7 to d5.
    assert_eq!(errors("4k3/8/8/3pP3/8/5n2/8/4K3 w - d6 0 1"), ["impossible_check"]);
    // Without the en passant square, the knight may have moved last.
    assert!(parse_fen("4k3/8/8/3pP3/8/5n2/8/4K3 w - - 0 1").is_ok());
    // The pawn move opened the bishop's diagonal from a4 through d7 to e8.
    assert!(parse_fen("4K3/8/8/3pP3/b7/8/8/4k3 w - d6 0 1").is_ok());
    // The pawn itself gives check.
    assert_eq!(
        normalised("8/8/8/3pP3/2K5/8/8/4k3 w - d6 0 1"),
        "8/8/8/3pP3/2K5/8/8/4k3 w - d6 0 1"
    );
}

#[test]
fn no_text_makes_the_parser_panic() {
    let long = "♚".repeat(100_000);
    for fen in [
        "",
        "_",
        "/",
        "////////",
        "\u{0}",
        "♚/8 w - - 0 1",
        "8/8/8/8/8/8/8/8/8/8 w KQkq a1 1 1",
        &long,
        "é é é é é é",
    ] {
        let invalid = parse_fen(fen).unwrap_err();
        assert!(invalid.errors.iter().all(|error| error.text.chars().count() <= 200));
        assert!(!invalid.errors.is_empty());
    }
}

#[test]
fn a_lenient_reading_forgives_what_lila_tablebase_forgives() {
    for (fen, expected) in [
        // Underscores, and missing fields.
        ("8/8/8/8/8/4k3/8/4K2R_w_-_-_99_60", "8/8/8/8/8/4k3/8/4K2R w - - 99 60"),
        ("8/8/8/8/8/4k3/8/4K2R", "8/8/8/8/8/4k3/8/4K2R w - - 0 1"),
        ("8/8/8/8/8/4k3/8/4K2R b", "8/8/8/8/8/4k3/8/4K2R b - - 0 1"),
        // Castling rights without their rook, of Chess960, and valid ones.
        ("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", "4k3/8/8/8/8/8/8/4K1R1 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/R2K4 w A - 0 1", "4k3/8/8/8/8/8/8/R2K4 w - - 0 1"),
        // En passant on a wrong rank, without a pawn, and a valid one.
        ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R b - e3 0 1", "4k3/8/8/8/8/8/8/4K2R b - - 0 1"),
        ("8/8/8/3pP3/2K5/8/8/4k3 w - d6 0 1", "8/8/8/3pP3/2K5/8/8/4k3 w - d6 0 1"),
        // A check that no move leads to, alone and by en passant.
        ("8/8/8/8/R3k2R/8/8/4K3 b - - 0 1", "8/8/8/8/R3k2R/8/8/4K3 b - - 0 1"),
        ("4k3/8/4Q3/4Q3/8/8/8/4K3 b - - 0 1", "4k3/8/4Q3/4Q3/8/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/3pP3/8/5n2/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/5n2/8/4K3 w - d6 0 1"),
    ] {
        assert_eq!(parse_fen_leniently(fen).map(|position| position.fen()), Ok(expected.into()));
    }
}

#[test]
fn a_lenient_reading_refuses_everything_else() {
    for (fen, expected) in [
        ("", "fen_fields"),
        ("8/8/8/8/8/4k3/8/4K2R w - - 0 1 1", "fen_fields"),
        ("8/8/8/8/8/4k3/8/4K2X w - - 0 1", "unknown_piece"),
        ("8/8/8/8/8/4k3/8/7R w - - 0 1", "no_king"),
        ("4k2R/8/8/8/8/8/8/4K3 w - - 0 1", "opponent_in_check"),
        ("8/8/8/8/8/4k3/8/4K2R x - - 0 1", "side_unknown"),
        ("8/8/8/8/8/4k3/8/4K2R w ! - 0 1", "castling_unknown"),
        ("8/8/8/8/8/4k3/8/4K2R w - e9 0 1", "en_passant_unknown"),
        ("8/8/8/8/8/4k3/8/4K2R w - - x 1", "clock_not_a_number"),
    ] {
        let invalid = parse_fen_leniently(fen).unwrap_err();
        assert_eq!(invalid.errors[0].code.name(), expected, "{fen}");
    }
}

#[test]
fn a_setup_needs_only_a_board() {
    for (fen, board) in [
        ("8/8/8/8/4N3/8/8/8", "8/8/8/8/4N3/8/8/8"),
        ("5r1k/1b4pp/3pB1N1/p2Pq2Q/PpP5/6PK/8/8_w", "5r1k/1b4pp/3pB1N1/p2Pq2Q/PpP5/6PK/8/8"),
        (START, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"),
        ("kK6/8/8/8/8/8/8/PPPPPPPP w KQkq e3 0 1", "kK6/8/8/8/8/8/8/PPPPPPPP"),
    ] {
        assert_eq!(parse_fen_setup(fen).map(|setup| setup.board_fen()), Ok(board.into()), "{fen}");
    }
    for (fen, expected) in [
        ("", "fen_fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1 1", "fen_fields"),
        ("8/8/8/8/8/8/8", "rank_count"),
        ("8/8/8/8/8/8/8/9", "unknown_piece"),
        ("8/8/8/8/8/8/8/7", "rank_length"),
        ("8/8/8/8/8/8/8/8 white", "side_unknown"),
        ("8/8/8/8/8/8/8/8 w - e9", "en_passant_unknown"),
    ] {
        let invalid = parse_fen_setup(fen).unwrap_err();
        assert_eq!(invalid.errors[0].code.name(), expected, "{fen}");
    }
}
