//! Lenient SAN parser. It accepts superfluous disambiguation, zeros for castling and missing
//! suffixes.

use crate::chess::attacks::{attacks, pawn_attacks};
use crate::chess::{
    Bitboard, CastlingSide, File, Move, MoveKind, ParseMoveError, Position, Rank, Role, Square,
};

/// Finds the legal move that a SAN text names.
///
/// # Errors
///
/// If the text is not SAN, or matches no legal move or more than one.
pub(in crate::chess) fn parse_san(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
    match ParsedSan::parse(text).ok_or(ParseMoveError::NotAMove)? {
        ParsedSan::Castling(side) => find_castling_move(position, side),
        ParsedSan::Piece(role, pattern) => pattern.find_piece_move(position, role),
        ParsedSan::Pawn(pattern, promotion) => pattern.find_pawn_move(position, promotion),
    }
}

/// The text without its marks of check, mate and quality.
pub(in crate::chess) fn without_suffix(text: &str) -> &str {
    text.trim_end_matches(['+', '#', '!', '?'])
}

/// A parsed text, not yet matched with a position.
enum ParsedSan {
    Castling(CastlingSide),
    Piece(Role, MovePattern),
    Pawn(MovePattern, Option<Role>),
}

/// The destination of a move and the given parts of its origin.
struct MovePattern {
    file: Option<File>,
    rank: Option<Rank>,
    /// The text has an `x`.
    is_capture: bool,
    to: Square,
}

impl ParsedSan {
    fn parse(text: &str) -> Option<ParsedSan> {
        let text = without_suffix(text);
        match text {
            "O-O" | "0-0" => return Some(ParsedSan::Castling(CastlingSide::King)),
            "O-O-O" | "0-0-0" => return Some(ParsedSan::Castling(CastlingSide::Queen)),
            _ => {}
        }
        let bytes = text.as_bytes();
        if let Some((letter, pattern)) = bytes.split_first()
            && let Some(role) = promotion_role(*letter).or((*letter == b'K').then_some(Role::King))
        {
            return Some(ParsedSan::Piece(role, MovePattern::parse(pattern)?));
        }
        let (pattern, promotion) = match *bytes {
            [ref pattern @ .., b'=' | b'/', letter] | [ref pattern @ .., b'(', letter, b')'] => {
                (pattern, Some(promotion_role(letter)?))
            }
            [ref pattern @ .., letter] if promotion_role(letter).is_some() => {
                (pattern, promotion_role(letter))
            }
            _ => (bytes, None),
        };
        Some(ParsedSan::Pawn(MovePattern::parse(pattern)?, promotion))
    }
}

/// The promotion role with an upper-case letter.
fn promotion_role(letter: u8) -> Option<Role> {
    Some(match letter {
        b'N' => Role::Knight,
        b'B' => Role::Bishop,
        b'R' => Role::Rook,
        b'Q' => Role::Queen,
        _ => return None,
    })
}

impl MovePattern {
    fn parse(bytes: &[u8]) -> Option<MovePattern> {
        let (origin, to) = bytes.split_last_chunk::<2>()?;
        let to = std::str::from_utf8(to).ok()?.parse().ok()?;
        let (origin, capture, is_long_algebraic) = match origin {
            [origin @ .., b'x'] => (origin, true, false),
            [origin @ .., b'-'] => (origin, false, true),
            _ => (origin, false, false),
        };
        let (file, rank) = match *origin {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank)),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file), Some(rank)),
            _ => return None,
        };
        if is_long_algebraic && (file.is_none() || rank.is_none()) {
            return None;
        }
        Some(MovePattern {
            file: file.map(|file| File::from_index(file - b'a')),
            rank: rank.map(|rank| Rank::from_index(rank - b'1')),
            is_capture: capture,
            to,
        })
    }

    /// The squares that match the given parts of the origin.
    fn origin_mask(&self) -> Bitboard {
        let file = self.file.map_or(Bitboard::ALL, File::bitboard);
        let rank = self.rank.map_or(Bitboard::ALL, Rank::bitboard);
        file & rank
    }

    fn find_piece_move(&self, position: &Position, role: Role) -> Result<Move, ParseMoveError> {
        let us = position.turn();
        let capture = position.piece_at(self.to).is_some();
        if self.is_capture && !capture {
            return Err(ParseMoveError::NotLegal);
        }
        let kind = if capture { MoveKind::Capture } else { MoveKind::Quiet };
        let from = attacks(us, role, self.to, position.occupied())
            & position.pieces(us, role)
            & self.origin_mask();
        unique_legal_move(position, from.map(|from| Move::new(from, self.to, kind)))
    }

    fn find_pawn_move(
        &self,
        position: &Position,
        promotion: Option<Role>,
    ) -> Result<Move, ParseMoveError> {
        let us = position.turn();
        let promotes = self.to.rank() == Rank::Eighth.relative_to(us);
        if promotion.is_some() && !promotes {
            return Err(ParseMoveError::NotLegal);
        }
        let pawns = position.pieces(us, Role::Pawn);
        let step = self.to.forward(!us);
        // A pawn capture names its origin file, which differs from the destination file.
        let captures = self.file.is_some_and(|file| file != self.to.file());
        let from = if captures {
            pawn_attacks(!us, self.to) & pawns
        } else if self.is_capture {
            Bitboard::EMPTY
        } else {
            (step.bitboard() | step.forward(!us).bitboard()) & pawns
        };
        // A promotion without a letter matches four moves. The queen stands for all of them in the
        // test whether any is legal.
        let role_to_try = if promotes { Some(promotion.unwrap_or(Role::Queen)) } else { None };
        let moves = (from & self.origin_mask()).map(|from| match role_to_try {
            Some(role) => Move::new_promotion(from, self.to, role, captures),
            None => position.new_pawn_move(from, self.to, captures),
        });
        let mv = unique_legal_move(position, moves)?;
        if promotes && promotion.is_none() { Err(ParseMoveError::Ambiguous) } else { Ok(mv) }
    }
}

fn find_castling_move(position: &Position, side: CastlingSide) -> Result<Move, ParseMoveError> {
    let us = position.turn();
    let mv = Move::new_castling(position.king(us), us, side);
    unique_legal_move(position, std::iter::once(mv))
}

/// The only legal move among the candidates.
fn unique_legal_move(
    position: &Position,
    moves: impl Iterator<Item = Move>,
) -> Result<Move, ParseMoveError> {
    let mut legal = moves.filter(|&mv| position.is_legal(mv));
    let mv = legal.next().ok_or(ParseMoveError::NotLegal)?;
    if legal.next().is_some() { Err(ParseMoveError::Ambiguous) } else { Ok(mv) }
}
