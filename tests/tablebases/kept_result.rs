//! Moves that keep the outcome of their position, as reviews ask for them.

use kibitzer::chess::{Position, parse_move};
use kibitzer::tablebase::Tablebase;
use libtest_mimic::Failed;

use crate::Tables;
use crate::random::Random;
use crate::random_positions::{random_men, random_position};

/// Files with outcomes alone say the same as those with distances, where the clock leaves time.
pub(crate) fn outcomes_alone_tell_which_moves_keep_the_result(
    tables: &Tables,
) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for path in tables.outcome_files()? {
        std::fs::copy(&path, folder.path().join(path.file_name().unwrap_or_default()))?;
    }
    let wdl_only = Tablebase::open(&[folder.path()], 0)?;
    let random = &mut Random::new(11);
    let mut kept = 0;
    for _ in 0..500 {
        let men = random_men(random);
        let position = random_position(random, &men);
        for &mv in position.legal_moves().as_slice() {
            for fifty_move_rule in [true, false] {
                let keeps = tables.tablebase.keeps_result(&position, mv, fifty_move_rule);
                let by_outcome = wdl_only.keeps_result(&position, mv, fifty_move_rule);
                assert_eq!(by_outcome, keeps, "{} {mv:?} {fifty_move_rule}", position.fen());
                kept += usize::from(keeps);
            }
        }
    }
    assert!(kept > 5_000, "{kept} moves kept the result");
    Ok(())
}

/// With the clock at 99 only the mate keeps the win, unless the 50-move rule is off. A stalemate
/// never keeps it.
pub(crate) fn the_clock_ends_a_win_unless_the_rule_is_off(tables: &Tables) -> Result<(), Failed> {
    let position = Position::from_fen("7k/8/6K1/8/8/8/Q7/8 w - - 99 100")?;
    for (text, with_rule, without) in
        [("Qa8", true, true), ("Qa3", false, true), ("Qf7", false, false)]
    {
        let mv = parse_move(&position, text).expect(text);
        let keeps = |rule| tables.tablebase.keeps_result(&position, mv, rule);
        assert_eq!((keeps(true), keeps(false)), (with_rule, without), "{text}");
    }
    Ok(())
}
