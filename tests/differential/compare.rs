//! The comparison of one position, and of one game, with shakmaty's.

use std::collections::BTreeSet;

use kibitzer::chess::encodings::packed::PackedPosition;
use kibitzer::chess::encodings::{key_parts, magic_lookups};
use kibitzer::chess::{
    CastlingNotation, DrawClaim, DrawReason, Game, Move, MoveGenType, MoveList, Outcome, Position,
    Role, parse_move, to_san, to_uci,
};
use proptest::test_runner::TestCaseError;
use proptest::{prop_assert, prop_assert_eq};
use shakmaty::{
    CastlingMode, Chess, EnPassantMode, Position as _, Square, attacks, fen::Fen, san::SanPlus,
};

use crate::coverage::Coverage;
use crate::reference::{self, RepetitionCounts};

/// Compares the properties that depend on the position alone.
pub(crate) fn position(
    ours: &Position,
    theirs: &Chess,
    coverage: &mut Coverage,
) -> Result<(), TestCaseError> {
    let fen = Fen::from_position(theirs, EnPassantMode::Legal).to_string();
    prop_assert_eq!(ours.fen(), fen.clone());
    prop_assert_eq!(ours.checkers().0, theirs.checkers().0, "checkers of {}", fen);
    prop_assert_eq!(ours.in_check(), theirs.is_check(), "check in {}", fen);
    prop_assert_eq!(ours.pinned().0, reference::pinned(theirs).0, "pinned pieces of {}", fen);
    keys(ours, theirs, &fen)?;
    magics(ours, theirs, &fen)?;
    moves(ours, theirs, &fen)?;
    if coverage.positions.is_multiple_of(64) {
        every_code(ours, &fen)?;
    }
    coverage.record_position(theirs);
    Ok(())
}

/// The keys match their definition and those of the position rebuilt from its setup.
fn keys(ours: &Position, theirs: &Chess, fen: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.key(), reference::key(theirs), "key of {}", fen);
    prop_assert_eq!(ours.pawn_key(), reference::pawn_key(theirs), "pawn key of {}", fen);
    let parts = key_parts(ours);
    let key = parts.iter().fold(0, |key, part| key ^ part.value());
    prop_assert_eq!(key, ours.key(), "parts of the key of {}", fen);
    prop_assert!(
        parts.is_sorted_by(|one, next| one.number() < next.number()),
        "order of the parts of the key of {}",
        fen
    );
    // Compares the whole state: bitboards, checks, pins and keys.
    let rebuilt = ours
        .to_setup()
        .validate()
        .map_err(|error| TestCaseError::fail(format!("{fen}: {error:?}")))?;
    prop_assert_eq!(&rebuilt, ours, "{} built from its setup", fen);
    let unpacked = PackedPosition::from_position(ours)
        .to_position()
        .map_err(|error| TestCaseError::fail(format!("{fen}: {error:?}")))?;
    prop_assert_eq!(unpacked.key(), ours.key(), "{} packed and unpacked", fen);
    prop_assert_eq!(
        PackedPosition::from_position(&unpacked),
        PackedPosition::from_position(ours),
        "{} packed twice",
        fen
    );
    Ok(())
}

/// The lookups in magic bitboards give the attacks of all sliders.
fn magics(ours: &Position, theirs: &Chess, fen: &str) -> Result<(), TestCaseError> {
    let (board, occupied) = (theirs.board(), theirs.board().occupied());
    let mut expected = Vec::new();
    for (square, piece) in board.iter() {
        if matches!(piece.role, shakmaty::Role::Bishop | shakmaty::Role::Queen) {
            expected.push((square, Role::Bishop, attacks::bishop_attacks(square, occupied)));
        }
        if matches!(piece.role, shakmaty::Role::Rook | shakmaty::Role::Queen) {
            expected.push((square, Role::Rook, attacks::rook_attacks(square, occupied)));
        }
    }
    let lookups = magic_lookups(ours);
    let found: Vec<_> = lookups
        .iter()
        .map(|lookup| (Square::new(lookup.square.index() as u32), lookup.role, lookup.attacks.0))
        .collect();
    let expected: Vec<_> =
        expected.into_iter().map(|(square, role, attacks)| (square, role, attacks.0)).collect();
    prop_assert_eq!(found, expected, "attacks of the sliders in {}", fen);
    for lookup in lookups {
        let product = (occupied.0 & lookup.relevant.0).wrapping_mul(lookup.magic);
        prop_assert_eq!(product >> lookup.shift, lookup.index as u64, "{:?} in {}", lookup, fen);
    }
    Ok(())
}

/// The legal moves and their notations are the same, and every notation is read back.
fn moves(ours: &Position, theirs: &Chess, fen: &str) -> Result<(), TestCaseError> {
    let legal = ours.legal_moves();
    let names: BTreeSet<(String, String)> = legal
        .iter()
        .map(|&mv| (to_uci(ours, mv, CastlingNotation::Chess960), to_san(ours, mv)))
        .collect();
    let their_names: BTreeSet<(String, String)> = theirs
        .legal_moves()
        .into_iter()
        .map(|mv| {
            (
                mv.to_uci(CastlingMode::Chess960).to_string(),
                SanPlus::from_move(theirs.clone(), mv).to_string(),
            )
        })
        .collect();
    prop_assert_eq!(&names, &their_names, "moves of {}", fen);
    prop_assert_eq!(names.len(), legal.len(), "a move is twice in the list of {}", fen);
    prop_assert_eq!(ours.count_moves(), legal.len() as u64, "number of moves of {}", fen);
    prop_assert_eq!(ours.has_moves(), !legal.is_empty(), "whether {} has moves", fen);

    for &mv in legal.iter() {
        for text in [
            to_san(ours, mv),
            to_uci(ours, mv, CastlingNotation::Chess960),
            to_uci(ours, mv, CastlingNotation::Standard),
        ] {
            prop_assert_eq!(parse_move(ours, &text), Ok(mv), "{} in {}", text, fen);
        }
    }

    let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
    ours.for_each_move(MoveGenType::Noisy, |mv| noisy.push(mv));
    ours.for_each_move(MoveGenType::Quiet, |mv| quiet.push(mv));
    prop_assert!(
        noisy.iter().all(|mv| mv.is_noisy()),
        "a quiet move among the noisy ones of {}",
        fen
    );
    let all: BTreeSet<Move> = legal.iter().copied().collect();
    let parts: BTreeSet<Move> = noisy.iter().chain(quiet.iter()).copied().collect();
    prop_assert_eq!(parts, all, "noisy and quiet moves of {}", fen);
    prop_assert_eq!(
        noisy.len() + quiet.len(),
        legal.len(),
        "noisy and quiet moves of {} overlap",
        fen
    );
    Ok(())
}

/// Among all 65,536 codes, exactly those of the legal moves are legal.
fn every_code(ours: &Position, fen: &str) -> Result<(), TestCaseError> {
    let legal: BTreeSet<Move> = ours.legal_moves().iter().copied().collect();
    let accepted: BTreeSet<Move> =
        (0..=u16::MAX).map(Move::from_code).filter(|&mv| ours.is_legal(mv)).collect();
    prop_assert_eq!(accepted, legal, "codes that are legal in {}", fen);
    Ok(())
}

/// Compares the properties that depend on the history of the game.
pub(crate) fn game(
    game: &Game,
    theirs: &Chess,
    history: &RepetitionCounts,
    coverage: &mut Coverage,
) -> Result<(), TestCaseError> {
    let occurrences = history.occurrences(theirs);
    let fen = game.position().fen();
    prop_assert_eq!(game.occurrences(), occurrences, "occurrences of {}", fen);

    // shakmaty has the same rule for dead positions, also for several bishops on squares of one
    // colour.
    let expected = if theirs.is_checkmate() {
        Outcome::Checkmate { winner: !game.position().turn() }
    } else if theirs.is_stalemate() {
        Outcome::Stalemate
    } else if occurrences >= 5 {
        Outcome::Draw(DrawReason::FivefoldRepetition)
    } else if theirs.halfmoves() >= 150 {
        Outcome::Draw(DrawReason::SeventyFiveMoves)
    } else if theirs.is_insufficient_material() {
        Outcome::Draw(DrawReason::DeadPosition)
    } else {
        Outcome::Ongoing
    };
    prop_assert_eq!(game.outcome(), expected, "outcome of {}", fen);
    coverage.record_outcome(expected);

    let mut claims = Vec::new();
    if expected == Outcome::Ongoing {
        claims.extend((occurrences >= 3).then_some(DrawClaim::ThreefoldRepetition));
        claims.extend((theirs.halfmoves() >= 100).then_some(DrawClaim::FiftyMoves));
    }
    prop_assert_eq!(game.claims(), claims, "claims in {}", fen);
    Ok(())
}
