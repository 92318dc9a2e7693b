//! Variants of a FEN: all spellings of a position give the same position.

use kibitzer::chess::{Position, parse_fen};
use proptest::prop_assert_eq;
use proptest::test_runner::TestCaseError;
use shakmaty::{Chess, Color, EnPassantMode, Position as _, Square, fen::Fen};

use crate::reference;

/// Every spelling gives the same key and, except for the clocks, the same normalised FEN.
pub(crate) fn every_fen_gives_one_key(
    ours: &Position,
    theirs: &Chess,
) -> Result<(), TestCaseError> {
    let fen = Fen::from_position(theirs, EnPassantMode::Legal).to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    let [board, side, castling, en_passant, halfmove, fullmove] = fields[..] else {
        return Err(TestCaseError::fail(format!("shakmaty's FEN has six fields: {fen}")));
    };
    let shredder = reference::shredder_castling(theirs);
    prop_assert_eq!(
        ours.shredder_fen(),
        format!("{board} {side} {shredder} {en_passant} {halfmove} {fullmove}")
    );

    let mixed = mix(castling, &shredder);
    let recorded_target =
        passed_square(theirs).map_or_else(|| en_passant.to_owned(), |square| square.to_string());
    let spellings = [
        fen.clone(),
        format!("{board} {side} {shredder} {en_passant} {halfmove} {fullmove}"),
        format!("{board} {side} {mixed} {en_passant} {halfmove} {fullmove}"),
        format!("{board}_{side}_{castling}_{en_passant}_{halfmove}_{fullmove}"),
        format!("  {board}   {side} _ {castling} {en_passant} {halfmove}  {fullmove} "),
        format!("{board} {side} {} {en_passant} {halfmove} {fullmove}", reversed(castling)),
        format!("{board} {side} {castling} {recorded_target} {halfmove} {fullmove}"),
    ];
    for spelling in spellings {
        let reading = parse_fen(&spelling)
            .map_err(|error| TestCaseError::fail(format!("{spelling}: {error:?}")))?;
        prop_assert_eq!(&reading.position, ours, "{}", spelling);
        prop_assert_eq!(reading.position.fen(), fen.clone(), "{}", spelling);
        prop_assert_eq!(reading.warnings, vec![], "{}", spelling);
    }

    for (spelling, clocks) in [
        (format!("{board} {side} {castling} {en_passant}"), "0 1".to_owned()),
        (format!("{board} {side} {castling} {en_passant} {halfmove}"), format!("{halfmove} 1")),
    ] {
        let position = Position::from_fen(&spelling)
            .map_err(|error| TestCaseError::fail(format!("{spelling}: {error:?}")))?;
        prop_assert_eq!(
            (position.key(), position.pawn_key()),
            (ours.key(), ours.pawn_key()),
            "{}",
            spelling
        );
        prop_assert_eq!(
            position.fen(),
            format!("{board} {side} {castling} {en_passant} {clocks}"),
            "{}",
            spelling
        );
    }
    Ok(())
}

/// A mix of the letters of both castling fields, taken alternately.
fn mix(castling: &str, shredder: &str) -> String {
    castling
        .chars()
        .zip(shredder.chars())
        .enumerate()
        .map(|(n, (one, other))| if n % 2 == 0 { other } else { one })
        .collect()
}

fn reversed(field: &str) -> String {
    field.chars().rev().collect()
}

/// The square that a pawn has just passed, even if no capture is legal. Many programs write it into
/// the FEN.
fn passed_square(theirs: &Chess) -> Option<Square> {
    let square = theirs.ep_square(EnPassantMode::Always)?;
    let sixth =
        if theirs.turn() == Color::White { shakmaty::Rank::Sixth } else { shakmaty::Rank::Third };
    (square.rank() == sixth).then_some(square)
}
