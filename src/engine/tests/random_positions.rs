//! Properties of searches from random positions: legal lines and true mates.

use super::*;
use crate::chess::{Move, MoveKind, Outcome};

/// A xorshift generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }
}

/// The standard start position, one of Chess960, and an ending.
const STARTS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "nqbbrkrn/pppppppp/8/8/8/8/PPPPPPPP/NQBBRKRN w GEge - 0 1",
    "4k3/pp3r2/2n5/8/8/5B2/1P3PP1/R3K3 w Q - 0 1",
];

/// A random game of up to 200 plies that is not over.
fn random_game(random: &mut Random) -> Game {
    loop {
        let start = STARTS[random.below(STARTS.len())];
        let mut game = Game::new(Position::from_fen(start).unwrap());
        for _ in 0..random.below(200) {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[random.below(moves.len())]);
        }
        if !game.outcome().is_over() {
            return game;
        }
    }
}

#[test]
fn every_line_from_thousands_of_random_positions_is_legal_and_every_mate_ends_in_mate() {
    let engine = Engine::new(8);
    let mut random = Random(0x006b_6962_6974_7a65);
    let mut mates = 0;
    for _ in 0..2_500 {
        let game = random_game(&mut random);
        let limits = Limits { nodes: Some(1_500), ..Limits::default() };
        let report = engine.analyse(&game, &limits, &StopFlag::default(), &mut |report| {
            assert_valid_pv(&game, report)
        });
        assert_valid_pv(&game, &report);
        assert!(report.nodes <= 1_500);
        mates += u32::from(matches!(report.score, Score::Mate(_)));
    }
    assert!(mates > 50, "only {mates} mates, too few for the test");
}

#[test]
fn the_normal_search_never_claims_a_mate_shorter_than_the_proved_one() {
    let engine = Engine::new(8);
    let mut random = Random(0x0074_7a65_6b69_6269);
    let mut compared = 0;
    for _ in 0..600 {
        let game = random_game(&mut random);
        let stop = StopFlag::default();
        let report = engine.analyse(
            &game,
            &Limits { nodes: Some(3_000), ..Limits::default() },
            &stop,
            &mut |_| (),
        );
        if let Score::Mate(moves @ 1..=3) = report.score {
            let limits = Limits { mate: Some(moves as u8), ..Limits::default() };
            let proved = engine.analyse(&game, &limits, &stop, &mut |_| ());
            assert_eq!(proved.reason, StopReason::Mate, "{}", game.position().fen());
            assert!(
                matches!(proved.score, Score::Mate(shortest) if shortest <= moves),
                "{}",
                game.position().fen()
            );
            assert_valid_pv(&game, &proved);
            compared += 1;
        }
    }
    assert!(compared > 15, "only {compared} mates, too few for the test");
}

/// A small ending with White to move, often near the 50-move limit.
fn small_ending(random: &mut Random) -> Game {
    const MATERIAL: [&str; 6] = ["KQk", "KRk", "KQkr", "KRRkb", "KQPkn", "KRBkp"];
    loop {
        let mut board = [[' '; 8]; 8];
        for piece in MATERIAL[random.below(MATERIAL.len())].chars() {
            // The black king is on the edge and the white king two ranks away, so mates are near.
            let rank = match piece {
                'k' => 0,
                'K' => 2,
                _ => random.below(8),
            };
            board[rank][random.below(8)] = piece;
        }
        let rows = board.map(|row| {
            row.map(|piece| if piece == ' ' { "1".to_owned() } else { piece.to_string() }).concat()
        });
        let clock = if random.below(2) == 0 { 0 } else { 92 + random.below(10) };
        // Pieces that share a square are lost, and an illegal position is replaced by the next try.
        let fen = format!("{} w - - {clock} 80", rows.join("/"));
        let Ok(position) = Position::from_fen(&fen) else { continue };
        let mut game = Game::new(position);
        if game.outcome() == Outcome::Ongoing {
            if random.below(2) == 0 {
                shuffle(&mut game, random);
            }
            return game;
        }
    }
}

/// Moves both sides back and forth twice, if possible: then the position has occurred three times,
/// and others twice.
fn shuffle(game: &mut Game, random: &mut Random) {
    let there_and_back = |game: &Game, random: &mut Random| -> Option<(Move, Move)> {
        let moves = game.position().legal_moves();
        let mv = moves[random.below(moves.len())];
        (mv.code() & 15 == 0).then_some((mv, Move::new(mv.to(), mv.from(), MoveKind::Quiet)))
    };
    let mut played = game.clone();
    let Some((white, white_back)) = there_and_back(&played, random) else { return };
    played.play(white);
    if played.outcome().is_over() {
        return;
    }
    let Some((black, black_back)) = there_and_back(&played, random) else { return };
    played.undo();
    for mv in [white, black, white_back, black_back, white, black, white_back, black_back] {
        if !played.position().is_legal(mv) {
            return;
        }
        played.play(mv);
    }
    if played.outcome() == Outcome::Ongoing && played.occurrences() == 3 {
        *game = played;
    }
}

/// `true` for a mate in at most `left` moves, by the rules alone: without table or move ordering,
/// and with a search of the whole history for repetitions.
fn is_naive_mate_within(
    position: &Position,
    earlier_keys: &mut Vec<u64>,
    root: usize,
    left: u8,
    attacking: bool,
) -> bool {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return !attacking && position.in_check();
    }
    let occurred = earlier_keys.iter().filter(|&&key| key == position.key()).count();
    let drawn = position.halfmove_clock() >= 100
        || occurred >= 2
        || earlier_keys[root..].contains(&position.key());
    if (drawn && earlier_keys.len() > root) || left == 0 {
        return false;
    }
    earlier_keys.push(position.key());
    let result = if attacking {
        moves.into_iter().any(|mv| {
            is_naive_mate_within(&position.after(mv), earlier_keys, root, left - 1, false)
        })
    } else {
        moves
            .into_iter()
            .all(|mv| is_naive_mate_within(&position.after(mv), earlier_keys, root, left, true))
    };
    earlier_keys.pop();
    result
}

#[test]
fn the_mate_solver_agrees_with_a_naive_search() {
    let engine = Engine::new(1);
    let mut random = Random(0x6b69_6262_6974_7a65);
    let mut mates = [0; 4];
    for _ in 0..500 {
        let game = small_ending(&mut random);
        let mut earlier_keys = game.earlier_keys().to_vec();
        let root = earlier_keys.len();
        let expected = (1..=2).find(|&left| {
            is_naive_mate_within(game.position(), &mut earlier_keys, root, left, true)
        });
        let limits = Limits { mate: Some(2), ..Limits::default() };
        let report = engine.analyse(&game, &limits, &StopFlag::default(), &mut |_| ());
        let proved = match (report.reason, report.score) {
            (StopReason::Mate, Score::Mate(moves)) => Some(moves as u8),
            _ => None,
        };
        assert_eq!(proved, expected, "{} after {:?}", game.position().fen(), game.moves());
        mates[usize::from(proved.unwrap_or(0))] += 1;
    }
    assert!(mates[1] > 10 && mates[2] > 10, "{mates:?}");
}

#[test]
fn tt_entries_from_other_histories_create_no_false_mates() {
    // One table for the same endings with and without a history, and with a low and a high clock.
    let engine = Engine::new(1);
    let mut random = Random(0x7a65_6269_746b_6962);
    let (mut claimed, mut drawn_by_history) = (0, 0);
    for _ in 0..300 {
        let game = small_ending(&mut random);
        let mut setup = game.position().to_setup();
        setup.halfmove_clock = 0;
        let fresh = Game::new(setup.validate().unwrap());
        let without_history = search(&engine, &fresh, 7);
        let report = search(&engine, &game, 7);
        assert_valid_pv(&game, &report);
        let mut earlier_keys = game.earlier_keys().to_vec();
        let root = earlier_keys.len();
        let proved = (1..=2).find(|&left| {
            is_naive_mate_within(game.position(), &mut earlier_keys, root, left, true)
        });
        match report.score {
            Score::Mate(moves @ 1..=2) => {
                assert!(
                    proved.is_some_and(|shortest| i32::from(shortest) <= moves),
                    "{}",
                    game.position().fen()
                );
                claimed += 1;
            }
            // A longer mate than the shortest may be claimed, but a mate in one is not missed.
            _ => assert_ne!(
                proved,
                Some(1),
                "{} after {:?}: {report:?}",
                game.position().fen(),
                game.moves()
            ),
        }
        drawn_by_history +=
            u32::from(report.score == Score::Cp(0) && raw_centipawns(&without_history) > 100);
    }
    assert!(
        claimed > 30 && drawn_by_history > 10,
        "{claimed} mates claimed, {drawn_by_history} drawn by history"
    );
}
