use super::*;

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

/// The start of standard chess, one of Chess960, and an ending.
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
        let report = engine.analyse(&game, &limits, &StopFlag::default(), &mut |report| assert_line(&game, report));
        assert_line(&game, &report);
        assert!(report.nodes <= 1_500);
        mates += u32::from(matches!(report.score, Score::Mate(_)));
    }
    assert!(mates > 50, "only {mates} mates: the claim about them would be empty");
}

#[test]
fn the_ordinary_search_never_claims_a_mate_shorter_than_the_proved_one() {
    let engine = Engine::new(8);
    let mut random = Random(0x0074_7a65_6b69_6269);
    let mut compared = 0;
    for _ in 0..600 {
        let game = random_game(&mut random);
        let stop = StopFlag::default();
        let found = engine.analyse(&game, &Limits { nodes: Some(3_000), ..Limits::default() }, &stop, &mut |_| ());
        if let Score::Mate(moves @ 1..=3) = found.score {
            let limits = Limits { mate: Some(moves as u8), ..Limits::default() };
            let proved = engine.analyse(&game, &limits, &stop, &mut |_| ());
            assert_eq!(proved.reason, StopReason::Mate, "{}", game.position().fen());
            assert!(matches!(proved.score, Score::Mate(shortest) if shortest <= moves), "{}", game.position().fen());
            assert_line(&game, &proved);
            compared += 1;
        }
    }
    assert!(compared > 15, "only {compared} mates to compare");
}
