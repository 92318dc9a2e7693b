//! Lenient reading of texts that violate the standard.

use super::*;

#[test]
fn a_game_is_read_with_headers_comments_and_variations() {
    let game = game(
        "[Event \"F/S Return Match\"]\n[White \"Fischer\"]\n[Result \"1/2-1/2\"]\n\n\
         {Start} 1. e4 $1 {[%eval 0.3] [%clk 0:03:00]} e5! (1... c5 2. Nf3 (2. c3 d5) 2... d6) \
         (1... e6) 2. Nf3 ; King's knight\n\
         Nc6 1/2-1/2\n",
    );
    assert_eq!(game.headers.get("White"), Some("Fischer"));
    assert_eq!(game.result, GameResult::Draw);
    assert_eq!(uci(&game.start, &game.line), "e2e4 e7e5 g1f3 b8c6");
    assert_eq!(game.line.comment, "Start");
    let [e4, e5, nf3, _] = game.line.moves.as_slice() else { panic!("four moves") };
    assert_eq!(
        (e4.nags(), e4.eval(), e4.clock_ms()),
        (&[1][..], Some(PgnEval::Cp(30)), Some(180_000))
    );
    assert_eq!(e5.nags(), [1]);
    assert_eq!(nf3.comment(), "King's knight");
    let [sicilian, french] = e5.variations() else { panic!("two variations") };
    assert_eq!(french.moves.len(), 1);
    assert_eq!(sicilian.moves.len(), 3);
    assert_eq!(sicilian.moves[1].variations()[0].moves.len(), 2);
    assert_eq!(game.to_game().moves().len(), 4);
}

#[test]
fn games_need_no_blank_line_no_header_and_no_result_between_them() {
    let texts = [
        "[Event \"a\"]\n1. e4 e5 *\n[Event \"b\"]\n1. d4 *",
        "[Event \"a\"]\n1. e4 e5\n[Event \"b\"]\n1. d4",
        "1. e4 e5 1-0 1. d4",
        "[White \"a\"]1. e4 e5 [White \"b\"]1. d4",
        "[Event \"a\"]\r\n\r\n1. e4 e5 *\r\n\r\n\r\n[Event \"b\"]\r\n\r\n1. d4 *\r\n",
        "1. e4 (1. c4 \n1... e5 [Event \"b\"]\n1. d4",
    ];
    for text in texts {
        let games = games(text);
        assert_eq!(games.len(), 2, "{text}");
        assert_eq!(uci(&games[1].start, &games[1].line), "d2d4", "{text}");
    }
}

#[test]
fn headers_alone_are_a_game_and_empty_text_is_none() {
    assert_eq!(games("[Event \"a\"]\n[White \"w\"]\n\n[Event \"b\"]\n\n*").len(), 2);
    assert_eq!(games("[Event \"a\"]\n[Event \"b\"]\n1. e4").len(), 1, "a repeated header");
    for nothing in
        ["", " \r\n\t\u{feff}", "{only words}", "% nothing", "; nothing", ")) ] }", "1. $3 ("]
    {
        assert!(games(nothing).is_empty(), "{nothing}");
    }
}

#[test]
fn move_numbers_are_optional_and_may_take_any_form() {
    for text in [
        "1.e4 e5 2.Nf3",
        "1. e4 1... e5 2. Nf3",
        "1 e4 e5 2 Nf3",
        "e4 e5 Nf3",
        "1.e4 1...e5 2 . Nf3",
        "1e4 e5 2Nf3",
        "1) e4 e5 2) Nf3",
        "7. e4 e5 7. Nf3",
        "1. e4 ... e5 2. Nf3",
        "1.e4 1…e5 2.♘f3",
    ] {
        assert_eq!(moves(text), "e2e4 e7e5 g1f3", "{text}");
    }
}

#[test]
fn moves_are_read_in_any_spelling() {
    let start = "[FEN \"r3k2r/1P4pp/8/3pP3/8/8/6PP/R3K1NR w KQkq d6 0 1\"]\n\n";
    for (text, expected) in [
        ("O-O-O", "e1a1"),
        ("0-0-0", "e1a1"),
        ("o-o-o", "e1a1"),
        ("OOO+", "e1a1"),
        ("Ke1-c1", "e1a1"),
        ("e1c1", "e1a1"),
        ("exd6e.p.", "e5d6"),
        ("exd6 e.p.", "e5d6"),
        ("e5:d6", "e5d6"),
        ("e5xd6", "e5d6"),
        ("ed6", "e5d6"),
        ("Ng1-f3", "g1f3"),
        ("ng1f3", "g1f3"),
        ("Ph4", "h2h4"),
        ("h2-h4", "h2h4"),
        ("b8=Q+", "b7b8q"),
        ("b8(N)", "b7b8n"),
        ("b8/R", "b7b8r"),
        ("b8q", "b7b8q"),
        ("bxa8=n", "b7a8n"),
        ("b7-b8=B!?", "b7b8b"),
        ("bxa8Q+-", "b7a8q"),
    ] {
        assert_eq!(moves(&format!("{start}1. {text} *")), expected, "{text}");
    }
}

#[test]
fn symbols_after_moves_become_nags() {
    for (text, nags) in [
        ("e4!", &[1][..]),
        ("e4 ??", &[4]),
        ("e4!? $14 $14", &[5, 14]),
        ("e4 N", &[146]),
        ("e4±", &[16]),
        ("e4!+-", &[1, 18]),
        ("e4 +- D", &[18, 220]),
        ("e4 $0 $255 $999", &[255]),
    ] {
        assert_eq!(game(text).line.moves[0].nags(), nags, "{text}");
    }
}

#[test]
fn the_result_after_the_moves_overrides_the_header() {
    for (text, result) in [
        ("[Result \"1-0\"]\n\n1. e4 0-1", GameResult::BlackWins),
        ("[Result \"1-0\"]\n\n1. e4", GameResult::WhiteWins),
        ("1. e4 1/2", GameResult::Draw),
        ("1. e4 ½–½", GameResult::Draw),
        ("1. e4 1–0 {resigns}", GameResult::WhiteWins),
        ("1. e4 (1. d4 1-0)", GameResult::Unknown),
        ("[Result \"won\"]\n\n1. e4 *", GameResult::Unknown),
    ] {
        assert_eq!(game(text).result, result, "{text}");
    }
    assert_eq!(game("1. e4 1-0 {Black resigns}").line.moves[0].comment(), "Black resigns");
}

#[test]
fn a_variation_ends_before_its_first_illegal_move() {
    let game = game(
        "1. e4 (1. d4 d5 2. -- c5 (2... e6 3. zz) 3. Nf3) (1. Ke2 e5) (1. c4) 1... e5 (x) 2. Nf3",
    );
    assert_eq!(uci(&game.start, &game.line), "e2e4 e7e5 g1f3");
    let variations: Vec<_> =
        game.line.moves[0].variations().iter().map(|line| uci(&game.start, line)).collect();
    assert_eq!(variations, ["d2d4 d7d5", "c2c4"]);
    assert!(game.line.moves[1].variations().is_empty());
    assert_eq!(moves("(1. d4) 1. e4 ) e5"), "e2e4 e7e5", "a variation needs a move to replace");
}

#[test]
fn the_headers_define_the_start_position() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40";
    assert_eq!(game(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n40... Kd7 *")).start.fen(), fen);
    assert_eq!(game(&format!("[FEN \"{fen}\"]\n\n40... Kd7 *")).start.fen(), fen);
    assert_eq!(
        game(&format!("[SetUp \"0\"]\n[FEN \"{fen}\"]\n\n1. e4 *")).start,
        Position::startpos()
    );
    assert_eq!(
        game("[Variant \"From Position\"]\n[FEN \"?\"]\n\n1. e4 *").start,
        Position::startpos()
    );
}

#[test]
fn chess960_is_read_with_x_fen_and_shredder_fen_castling() {
    for fen in [
        "1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w GBgb - 0 1",
        "1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w KQkq - 0 1",
    ] {
        for variant in ["Chess960", "Fischerandom", "Fischer Random", "chess 960"] {
            let text = format!(
                "[Variant \"{variant}\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. O-O O-O-O 1/2-1/2"
            );
            assert_eq!(moves(&text), "f1g1 f8b8", "{text}");
        }
    }
}

#[test]
fn moves_after_a_draw_by_the_rules_are_accepted() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(20);
    assert_eq!(game(&shuffle).line.moves.len(), 80, "repetition");
    let kings =
        format!("[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 149 90\"]\n\n{}", "Kd1 Kd8 Ke1 Ke8 ".repeat(3));
    assert_eq!(game(&kings).line.moves.len(), 12, "a dead position and more than 75 moves");
}

#[test]
fn concatenated_files_of_mixed_encodings_are_read() {
    let mut bytes = b"\xef\xbb\xbf[Event \"M\xc3\xbcller\"]\n\n1. e4 *\n\n".to_vec();
    bytes.extend_from_slice(b"\xef\xbb\xbf[Event \"M\xfcller\"]\r\r1. e4 *");
    let text = decode(&bytes);
    let names: Vec<_> = games(&text)
        .iter()
        .map(|game| game.headers.get("Event").unwrap_or_default().to_owned())
        .collect();
    assert_eq!(names, ["Müller", "Müller"]);
}
