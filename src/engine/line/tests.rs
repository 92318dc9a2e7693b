use super::*;
use crate::chess::read_move;
use crate::engine::Sharing;
use crate::engine::clock::{Budget, Crew};
use crate::engine::thread_data::ThreadData;
use crate::engine::tt::Table;
use crate::engine::{Limits, StopFlag};
use crate::nnue::{Level, Network};

fn vouch(fen: &str, value: Value, moves: &[&str]) -> Option<Line> {
    let root = Position::from_fen(fen).unwrap();
    let mut position = root.clone();
    let moves = moves
        .iter()
        .map(|text| {
            let mv = read_move(&position, text).unwrap();
            position.play(mv);
            mv
        })
        .collect();
    let (table, stop, crew) = (Table::new(1).unwrap(), StopFlag::default(), Crew::new(1));
    let generation = table.begin(Sharing::Player);
    let budget = Budget::start(&Limits::default(), None, &stop, &crew);
    let ThreadData { history, evaluator } =
        &mut ThreadData::new(&Network::embedded(), Level::best());
    let mut search = Search::new(&generation, evaluator, history, budget, &root, &[], Vec::new());
    search.vouch(&root, Line { value, moves })
}

/// Two rooks drive the king to the edge: 1. Rb7, a king move, 2. Ra8 mate.
const LADDER: &str = "4k3/8/R7/1R6/8/8/8/4K3 w - - 0 1";

#[test]
fn a_mate_whose_line_breaks_off_is_proved_anew() {
    let mended = vouch(LADDER, mate_at(3), &["Rb7"]).unwrap();
    assert_eq!(mended.value, mate_at(3));
    assert_eq!(mended.moves.len(), 3);
}

#[test]
fn a_mate_that_is_not_there_is_not_vouched_for() {
    assert_eq!(vouch(LADDER, mate_at(1), &["Rb7"]), None);
    assert_eq!(vouch("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", mate_at(3), &["e4"]), None);
}

#[test]
fn a_mate_that_is_longer_than_need_be_is_mended_to_the_shortest_after_its_first_move() {
    let mended = vouch(LADDER, mate_at(9), &["Kf2"]).unwrap();
    assert_eq!(mended.value, mate_at(7));
    assert_eq!(mended.moves[0], read_move(&Position::from_fen(LADDER).unwrap(), "Kf2").unwrap());
}

#[test]
fn a_mated_side_keeps_its_first_move() {
    let mended = vouch("4k3/1R6/R7/8/8/8/8/4K3 b - - 0 1", mated_at(2), &["Kd8"]).unwrap();
    assert_eq!((mended.value, mended.moves.len()), (mated_at(2), 2));
}

#[test]
fn a_sound_line_stays_as_it_is() {
    let line = vouch(LADDER, mate_at(3), &["Rb7", "Kd8", "Ra8#"]).unwrap();
    assert_eq!(line.moves.len(), 3);
    assert_eq!(vouch(LADDER, 300, &["Rb7"]).unwrap().moves.len(), 1);
    assert_eq!(vouch(LADDER, 300, &[]), None);
}
