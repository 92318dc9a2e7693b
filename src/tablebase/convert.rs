//! Conversions between this crate's types and those of shakmaty.

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, FromSetup, PositionError, Setup,
    Square,
};
use shakmaty_syzygy as syzygy;

use super::error::ProbeError;
use super::values::{Dtz, Wdl};
use crate::chess::{self, Move, Position, Role};

/// A position without castling rights as shakmaty's. The clocks are left out, since tables do not
/// depend on them. `None` if shakmaty refuses the position.
pub(super) fn to_shakmaty(position: &Position) -> Option<Chess> {
    let role = |role: Role| Bitboard(position.by_role(role).0);
    let color = |color: chess::Color| Bitboard(position.by_color(color).0);
    let by_role = ByRole {
        pawn: role(Role::Pawn),
        knight: role(Role::Knight),
        bishop: role(Role::Bishop),
        rook: role(Role::Rook),
        queen: role(Role::Queen),
        king: role(Role::King),
    };
    let by_color = ByColor { black: color(chess::Color::Black), white: color(chess::Color::White) };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: if position.turn().is_white() { Color::White } else { Color::Black },
        ep_square: position.en_passant().map(|square| Square::new(square.index() as u32)),
        ..Setup::empty()
    };
    // Tables have positions in check that no game reaches.
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// A legal move of shakmaty's in a position without castling rights.
pub(super) fn mv(position: &Position, mv: &shakmaty::Move) -> Option<Move> {
    let (from, to) = (mv.from()? as usize, mv.to() as usize);
    let promotion = mv.promotion();
    position.legal_moves().as_slice().iter().copied().find(|own| {
        (own.from().index(), own.to().index()) == (from, to)
            && own.promotion().map(to_shakmaty_role) == promotion
    })
}

const fn to_shakmaty_role(role: Role) -> shakmaty::Role {
    match role {
        Role::Pawn => shakmaty::Role::Pawn,
        Role::Knight => shakmaty::Role::Knight,
        Role::Bishop => shakmaty::Role::Bishop,
        Role::Rook => shakmaty::Role::Rook,
        Role::Queen => shakmaty::Role::Queen,
        Role::King => shakmaty::Role::King,
    }
}

pub(super) fn wdl(wdl: syzygy::Wdl) -> Wdl {
    match wdl {
        syzygy::Wdl::Loss => Wdl::Loss,
        syzygy::Wdl::BlessedLoss => Wdl::BlessedLoss,
        syzygy::Wdl::Draw => Wdl::Draw,
        syzygy::Wdl::CursedWin => Wdl::CursedWin,
        syzygy::Wdl::Win => Wdl::Win,
    }
}

pub(super) fn dtz(dtz: syzygy::MaybeRounded<syzygy::Dtz>) -> Dtz {
    Dtz { plies: dtz.ignore_rounding().into(), rounded: dtz.precise().is_none() }
}

/// The error of a probe of a position with `men` men, where the largest table has `max`.
pub(super) fn probe_error(error: &syzygy::SyzygyError, men: u32, max: u32) -> ProbeError {
    match error {
        syzygy::SyzygyError::Castling => ProbeError::CastlingRights,
        syzygy::SyzygyError::TooManyPieces => ProbeError::TooManyMen { men, max },
        syzygy::SyzygyError::MissingTable { .. } if men > max => {
            ProbeError::TooManyMen { men, max }
        }
        syzygy::SyzygyError::MissingTable { metric, material } => {
            let extension = match metric {
                syzygy::Metric::Wdl => "rtbw",
                syzygy::Metric::Dtz => "rtbz",
            };
            ProbeError::MissingTable { table: format!("{material}.{extension}") }
        }
        error @ syzygy::SyzygyError::ProbeFailed { .. } => ProbeError::Read(error.to_string()),
    }
}
