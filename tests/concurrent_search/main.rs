//! Concurrent searches through one transposition table: a search does not change the score, the
//! draws or the moves of another.
//!
//! The full run (`make test-full`) searches 500 pairs of games and 50 pairs of histories, 50,000
//! nodes each.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::print_stdout, reason = "docs/strength.md reports the figures")]

#[path = "../support/full_run.rs"]
mod full_run;
mod games;
mod histories;
#[path = "../support/random.rs"]
mod random;
mod searches;

use full_run::is_full_run;
use kibitzer::engine::{Engine, Score};
use searches::SharedEngine;

/// The size of the shared table, in MiB.
const HASH_MB: usize = 256;

#[test]
fn a_concurrent_search_of_an_unrelated_game_finds_the_same_score() {
    let pairs = if is_full_run() { 500 } else { 6 };
    let searches = SharedEngine::new(HASH_MB);
    let opponents = Engine::new(1);
    let mut same = 0;
    for pair in 0..pairs {
        let games = [2 * pair, 2 * pair + 1].map(|seed| games::play(&opponents, seed));
        let alone = games.each_ref().map(|game| searches.search_alone(game));
        let together = searches.search_concurrently(games.each_ref());
        let scores =
            |reports: &[kibitzer::engine::Report; 2]| reports.each_ref().map(|report| report.score);
        if scores(&alone) == scores(&together) {
            same += 1;
        } else {
            let fens = games.each_ref().map(|game| game.position().fen());
            println!(
                "pair {pair}: alone {:?}, together {:?}: {fens:?}",
                scores(&alone),
                scores(&together)
            );
        }
    }
    println!(
        "{same} of {pairs} pairs found the same scores; {} lines, all legal",
        searches.lines()
    );
    assert!(pairs - same <= (pairs / 100).max(1), "{same} of {pairs}");
    assert!(!is_full_run() || searches.lines() >= 10_000, "{} lines", searches.lines());
}

#[test]
fn concurrent_searches_score_repetitions_by_their_own_history() {
    let searches = SharedEngine::new(HASH_MB);
    let all = histories::all();
    assert_eq!(all.len(), 50);
    let chosen = if is_full_run() { &all[..] } else { &all[..10] };
    for pair in chosen {
        // The first round starts with an empty table, the second with the entries of the first.
        searches.clear();
        for round in ["fresh", "used"] {
            let [won, drawn] = searches
                .search_concurrently_with_table([&pair.without_history, &pair.with_repetitions]);
            let fen = pair.without_history.position().fen();
            assert!(matches!(won.score, Score::Mate(1..)), "{fen}, {round} table: {:?}", won.score);
            assert_eq!(won.best_move(), Some(pair.winning_move), "{fen}, {round} table");
            assert_eq!(drawn.score, Score::Cp(0), "{fen} with its history, {round} table");
        }
    }
    println!("{} positions under two histories each", chosen.len());
}
