//! Tests of the order of positions and events.

use proptest::prelude::*;

use super::*;

#[test]
fn positions_of_a_game_run_from_last_to_first() {
    let schedule = Schedule::new(&[0, 2, 0, 1, 0]);
    assert_eq!((schedule.games(), schedule.moves(), schedule.positions()), (5, 3, 5));
    let positions: Vec<_> =
        (0..6).map(|n| schedule.position_at(n).map(|at| (at.game, at.ply, at.is_first))).collect();
    let expected = [
        Some((1, 2, true)),
        Some((1, 1, false)),
        Some((1, 0, false)),
        Some((3, 1, true)),
        Some((3, 0, false)),
        None,
    ];
    assert_eq!(positions, expected);
    let done: Vec<_> = (0..=5)
        .map(|positions| (schedule.moves_done(positions), schedule.events_done(positions)))
        .collect();
    assert_eq!(done, [(0, 1), (0, 1), (1, 2), (2, 5), (2, 5), (3, 8)]);
    assert_eq!(schedule.reviewed_moves(1, 2), 2..3);
    assert_eq!(
        (
            schedule.reviewed_moves(1, 1),
            schedule.reviewed_moves(1, 5),
            schedule.reviewed_moves(3, 2)
        ),
        (3..3, 1..3, 2..2)
    );
}

#[test]
fn events_list_moves_from_last_to_first_then_the_game() {
    let schedule = Schedule::new(&[0, 2, 1]);
    let mv = |game, ply| Some(ScheduledEvent::Move { game, ply });
    let game = |game| Some(ScheduledEvent::Game { game });
    let events: Vec<_> = (0..=7).map(|number| schedule.event(number)).collect();
    assert_eq!(events, [None, game(0), mv(1, 2), mv(1, 1), game(1), mv(2, 1), game(2), None]);
}

proptest! {
    #[test]
    fn events_never_precede_their_positions(plies in prop::collection::vec(0_u32..6, 0..12)) {
        let schedule = Schedule::new(&plies);
        let mut events_seen = 0;
        for positions_done in 0..=schedule.positions() {
            let done = schedule.events_done(positions_done);
            prop_assert!(done >= events_seen);
            for number in events_seen + 1..=done {
                match schedule.event(number) {
                    Some(ScheduledEvent::Move { game, ply }) => {
                        let reviewed = schedule.reviewed_moves(game, positions_done);
                        prop_assert!(reviewed.contains(&ply));
                        prop_assert!(schedule.position_index(game, ply - 1) < positions_done);
                    }
                    Some(ScheduledEvent::Game { game }) => {
                        prop_assert_eq!(schedule.reviewed_moves(game, positions_done).start, 1);
                    }
                    None => prop_assert!(false, "event {} of {:?}", number, plies),
                }
            }
            events_seen = done;
            if let Some(position) = schedule.position_at(positions_done) {
                let index = schedule.position_index(position.game, position.ply);
                prop_assert_eq!(index, positions_done);
            }
        }
        prop_assert_eq!(events_seen, schedule.moves() + schedule.games() as u64);
    }
}
