//! The transposition table that searches of one engine share.

use std::thread;

use super::*;

#[test]
fn concurrent_searches_share_one_tt_and_stay_valid() {
    let engine = Engine::new(1);
    let fens = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/8/R7/1R6/8/8/8/4K3 w - - 0 1",
    ];
    thread::scope(|scope| {
        for index in 0..8 {
            let (engine, fen) = (&engine, fens[index % fens.len()]);
            scope.spawn(move || {
                let game = game(fen, "");
                let limits = Limits { nodes: Some(60_000), ..Limits::default() };
                let report = engine.analyse(&game, &limits, &StopFlag::default(), &mut |report| {
                    assert_valid_pv(&game, report)
                });
                assert_valid_pv(&game, &report);
                if index % fens.len() == 3 {
                    assert_eq!(report.score, Score::Mate(2));
                }
            });
        }
    });
    assert!(engine.hashfull_permille() > 300);
    engine.clear_tt();
    assert_eq!(engine.hashfull_permille(), 0);
}

#[test]
fn a_search_needs_fewer_nodes_after_a_deeper_one() {
    // The gain of one search is random, so the test sums over several.
    let games = [
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r1bqk2r/pp2bppp/2n1pn2/2pp4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 b kq - 0 8",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ]
    .map(|fen| game(fen, ""));
    let openings = [
        "e2e4 c7c5",
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        "e2e4 e7e6 d2d4 d7d5",
        "e2e4 c7c6 d2d4 d7d5",
        "d2d4 d7d5 c2c4 c7c6",
        "d2d4 g8f6 c2c4 g7g6",
        "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4",
        "c2c4 e7e5",
    ]
    .map(|moves| game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", moves));
    let engine = Engine::new(8);
    let (mut alone, mut after) = (0, 0);
    for game in games.iter().chain(&openings) {
        engine.clear_tt();
        alone += search(&engine, game, 10).nodes;
        engine.clear_tt();
        search(&engine, game, 15);
        after += search(&engine, game, 10).nodes;
    }
    assert!(after * 4 < alone * 3, "{after} nodes instead of {alone}");
}

#[test]
fn the_engine_reports_hash_size_and_network() {
    let engine = Engine::new(2);
    assert_eq!(engine.hash_mb(), 2);
    assert!(engine.evaluation_name().starts_with(engine.network().id()));
    assert_eq!(Engine::new(0).hash_mb(), 1, "a table must have at least one MiB");
}
