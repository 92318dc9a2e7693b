//! Positions whose history or clock changes their score, searched with a cache and a transposition
//! table full of results for the bare positions around them, deeper than any search.

use std::sync::Arc;

use super::{depth, options, request};
use crate::analysis::cache_key::AnalysisKey;
use crate::analysis::{CacheVerdict, Service, Source};
use crate::chess::{Game, Position, parse_move};
use crate::engine::{Engine, Limits, Report, Score, StopFlag, StopReason};

/// The depth of all inserted results.
const DEPTH: u8 = 30;

/// Positions, each with four moves that lead back to it. The first move wins, other moves lose.
/// Played twice, the moves make the winning move a threefold repetition.
const HISTORIES: &str = include_str!("../../../tests/concurrent_search/histories.txt");

/// Positions in which the side to move would win or lose without the 50-move rule. No mate, capture
/// or pawn move comes in time.
const LATE: [&str; 12] = [
    "8/8/8/4k3/8/8/8/KQ6 w - - 99 80",
    "8/8/8/4k3/8/8/8/KR6 w - - 97 80",
    "8/8/8/4k3/8/8/8/KR6 b - - 96 80",
    "4k3/8/8/8/8/8/8/KQR5 w - - 99 90",
    "8/8/3k4/8/8/3K4/8/QQ6 w - - 99 90",
    "8/8/4k3/8/8/8/1BB5/K7 w - - 98 120",
    "8/3k4/8/8/4N3/4K3/4B3/8 w - - 95 110",
    "k7/8/8/3q4/8/8/8/6K1 b - - 98 70",
    "8/8/8/3r4/8/2k5/8/6K1 w - - 97 70",
    "8/8/2p5/2P2k2/8/8/3K4/Q7 w - - 99 88",
    "8/8/1p6/1P6/4k3/8/8/K2R4 b - - 98 88",
    "8/5k2/8/8/2q5/8/3K4/8 w - - 98 88",
];

/// Positions with a mate just before the 50-move rule applies, and its length in moves. Checkmate
/// takes precedence over the rule.
const IN_TIME: [(&str, i32); 3] = [
    ("7k/8/6K1/8/8/8/8/1Q6 w - - 99 90", 1),
    ("6k1/8/6K1/8/8/8/8/R7 w - - 99 90", 1),
    ("7k/8/5K2/8/8/8/8/1Q6 w - - 97 90", 2),
];

struct Fixture {
    engine: Arc<Engine>,
    /// An engine that the inserted results do not reach.
    isolated_engine: Engine,
    service: Service,
}

impl Fixture {
    fn new() -> Fixture {
        let engine = Arc::new(Engine::new(4));
        let service = Service::start(engine.clone(), options(1, 8)).unwrap();
        Fixture { engine, isolated_engine: Engine::new(1), service }
    }

    /// Inserts the results for the bare position and for all positions one or two moves from it.
    fn insert_around(&self, position: &Position) {
        self.insert_bare(position, 100_000);
        for first in &position.legal_moves() {
            let child = position.after(first);
            self.insert_bare(&child, 500);
            for second in &child.legal_moves() {
                self.insert_bare(&child.after(second), 50);
            }
        }
    }

    fn insert_bare(&self, position: &Position, nodes: u64) {
        let bare = bare(position);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let found = self.isolated_engine.analyse(
            &Game::new(bare.clone()),
            &limits,
            &StopFlag::default(),
            &mut |_| (),
        );
        let report = Report {
            depth: DEPTH,
            seldepth: DEPTH,
            reason: StopReason::Depth,
            history_independent: true,
            tb_hits: 0,
            is_ranked_by_tablebase: false,
            ..found
        };
        self.engine.insert_tt_entry(position, DEPTH, &report);
        self.engine.insert_tt_entry(&bare, DEPTH, &report);
        if !report.pv.is_empty() {
            self.service.insert_cached(&AnalysisKey::of(&Game::new(bare)), &depth(DEPTH), report);
        }
    }

    async fn ask(&self, game: Game) -> (Score, CacheVerdict) {
        let answer = self.service.best_move(request(game, depth(8))).await.unwrap();
        assert_eq!(answer.source, Source::Search, "the cache has the bare position only");
        (answer.report.score, answer.cache_verdict)
    }
}

/// The position with a half-move clock of 0.
fn bare(position: &Position) -> Position {
    let fen = position.fen();
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields[4] = "0";
    Position::from_fen(&fields.join(" ")).unwrap()
}

#[tokio::test]
async fn a_win_lost_to_repetition_is_not_restored_from_the_cache() {
    let lines: Vec<&str> = HISTORIES.lines().take(20).collect();
    assert_eq!(lines.len(), 20);
    for line in lines {
        let (fen, moves) = line.split_once(" ; ").unwrap();
        let mut game = Game::new(Position::from_fen(fen).unwrap());
        let fixture = Fixture::new();
        fixture.insert_around(game.position());
        let bare = fixture.service.best_move(request(game.clone(), depth(8))).await.unwrap();
        assert_eq!(
            bare.cache_verdict,
            CacheVerdict::Hit,
            "{fen}: the inserted result answers the bare position"
        );
        assert!(matches!(bare.report.score, Score::Mate(1..)), "{fen}: the bare position is won");
        for text in [moves, moves].iter().flat_map(|moves| moves.split(' ')) {
            let mv = parse_move(game.position(), text).unwrap();
            game.play(mv);
        }
        assert_eq!(fixture.ask(game).await, (Score::Cp(0), CacheVerdict::History), "{fen}");
    }
}

#[tokio::test]
async fn a_win_lost_to_the_fifty_move_rule_is_not_restored_from_the_cache() {
    for fen in LATE {
        let position = Position::from_fen(fen).unwrap();
        let fixture = Fixture::new();
        fixture.insert_around(&position);
        let cached =
            fixture.service.best_move(request(Game::new(bare(&position)), depth(8))).await.unwrap();
        assert_eq!(
            cached.cache_verdict,
            CacheVerdict::Hit,
            "{fen}: the inserted result answers with a low clock"
        );
        assert_ne!(cached.report.score, Score::Cp(0), "{fen}: the bare position is no draw");
        assert_eq!(fixture.ask(Game::new(position)).await.0, Score::Cp(0), "{fen}");
    }
}

#[tokio::test]
async fn a_mate_in_time_is_found_whatever_the_clock() {
    for (fen, moves) in IN_TIME {
        let position = Position::from_fen(fen).unwrap();
        let fixture = Fixture::new();
        fixture.insert_around(&position);
        assert_eq!(fixture.ask(Game::new(position)).await.0, Score::Mate(moves), "{fen}");
    }
}
