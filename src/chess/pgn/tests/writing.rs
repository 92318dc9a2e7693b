//! Output of games.

use super::*;

#[test]
fn a_game_is_written_as_the_standard_requires() {
    let read = game(
        "[Opening \"a \\\"b\\\" \\\\\"][White \"W\"]\n\
         {Start} e4! {[%eval 0.3]} (d4 {why} d5 (Nf6)) e5 $6 (c5) (e6) Nf3 Nc6 Bb5 1-0",
    );
    let text = "\
[Event \"?\"]
[Site \"?\"]
[Date \"????.??.??\"]
[Round \"?\"]
[White \"W\"]
[Black \"?\"]
[Result \"1-0\"]
[Opening \"a \\\"b\\\" \\\\\"]

{ Start } 1. e4 $1 { [%eval 0.3] } (1. d4 { why } 1... d5 (1... Nf6)) 1... e5 $6
(1... c5) (1... e6) 2. Nf3 Nc6 3. Bb5 1-0
";
    assert_eq!(write(&read), text);
}

#[test]
fn start_and_result_override_the_headers() {
    let fen = "1r3kr1/8/8/8/8/8/8/1R3KR1 b KQkq - 4 7";
    let mut game = PgnGame::new(Position::from_fen(fen).unwrap());
    game.headers.set("FEN", "nonsense");
    game.headers.set("Result", "1-0");
    let text = write(&game);
    assert!(
        text.contains(&format!(
            "[Result \"*\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n*\n"
        )),
        "{text}"
    );
    assert_eq!(write(&PgnGame::default()).lines().count(), 9);
}

#[test]
fn a_first_move_of_black_has_its_number() {
    let text = write(&game("[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n\nKd7 e4 Ke7 *"));
    assert!(text.ends_with("\n\n40... Kd7 41. e4 Ke7 *\n"), "{text}");
}

#[test]
fn no_line_is_longer_than_80_characters_or_begins_like_a_header() {
    let words =
        "[%clk 0:00:01] [Event \"no header\"] % no escape, and many more words about ".repeat(20);
    let mut read = game(&"Nf3 Nf6 Ng1 Ng8 ".repeat(50));
    read.line.moves[7].set_comment(&words);
    read.line.moves[8].set_comment("}{ \n\n}");
    let text = write(&read);
    let body = text.split_once("\n\n").map_or("", |(_, body)| body);
    for line in body.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.starts_with(['[', '%']), "{line}");
    }
    let again = game(&text);
    assert_eq!(again.line, read.line);
    assert_eq!(again.line.moves[8].comment(), "){ )");
}

#[test]
fn annotations_can_be_removed() {
    let mut mv = game("e4 $1 $6 {x}").line.moves.remove(0);
    mv.retain_nags(|nag| nag == 6);
    assert_eq!((mv.nags(), mv.comment()), (&[6][..], "x"));
    mv.retain_nags(|_| false);
    mv.set_comment(" ");
    assert_eq!(mv, PgnMove::new(mv.mv()));
    assert_eq!(size_of::<PgnMove>(), 16);
}
