//! SAN as people write it: over-disambiguated, with zeros for castling, without marks.

use crate::chess::attacks::{attacks, pawn_attacks};
use crate::chess::uci_move::{castling_kind, pawn_move};
use crate::chess::{
    Bitboard, CastlingSide, File, Move, MoveKind, MoveTextError, Position, Rank, Role, Square,
    castled_king,
};

/// Finds the legal move that a SAN text means.
///
/// # Errors
///
/// When the text fits two legal moves or none.
pub(in crate::chess) fn read_san(position: &Position, text: &str) -> Result<Move, MoveTextError> {
    match Written::read(text).ok_or(MoveTextError::NotAMove)? {
        Written::Castling(side) => castle(position, side),
        Written::Piece(role, path) => path.find_piece(position, role),
        Written::Pawn(path, promotion) => path.find_pawn(position, promotion),
    }
}

/// What a text says, not yet a move of any position.
enum Written {
    Castling(CastlingSide),
    Piece(Role, Path),
    Pawn(Path, Option<Role>),
}

/// From where, as far as it is said, and to where.
struct Path {
    file: Option<File>,
    rank: Option<Rank>,
    /// An `x` was written.
    takes: bool,
    to: Square,
}

impl Written {
    fn read(text: &str) -> Option<Written> {
        let text = text.trim_end_matches(['+', '#', '!', '?']);
        match text {
            "O-O" | "0-0" => return Some(Written::Castling(CastlingSide::King)),
            "O-O-O" | "0-0-0" => return Some(Written::Castling(CastlingSide::Queen)),
            _ => {}
        }
        let bytes = text.as_bytes();
        if let Some((letter, path)) = bytes.split_first()
            && let Some(role) = officer(*letter).or((*letter == b'K').then_some(Role::King))
        {
            return Some(Written::Piece(role, Path::read(path)?));
        }
        let (path, promotion) = match *bytes {
            [ref path @ .., b'=' | b'/', letter] | [ref path @ .., b'(', letter, b')'] => {
                (path, Some(officer(letter)?))
            }
            [ref path @ .., letter] if officer(letter).is_some() => (path, officer(letter)),
            _ => (bytes, None),
        };
        Some(Written::Pawn(Path::read(path)?, promotion))
    }
}

/// The kind of a capital letter that a pawn may promote to.
fn officer(letter: u8) -> Option<Role> {
    Some(match letter {
        b'N' => Role::Knight,
        b'B' => Role::Bishop,
        b'R' => Role::Rook,
        b'Q' => Role::Queen,
        _ => return None,
    })
}

impl Path {
    fn read(bytes: &[u8]) -> Option<Path> {
        let (origin, to) = bytes.split_last_chunk::<2>()?;
        let to = std::str::from_utf8(to).ok()?.parse().ok()?;
        let (origin, takes, long) = match origin {
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
        if long && (file.is_none() || rank.is_none()) {
            return None;
        }
        Some(Path {
            file: file.map(|file| File::from_index(file - b'a')),
            rank: rank.map(|rank| Rank::from_index(rank - b'1')),
            takes,
            to,
        })
    }

    /// The squares that the text lets the piece come from.
    fn origins(&self) -> Bitboard {
        let file = self.file.map_or(Bitboard::ALL, File::bitboard);
        let rank = self.rank.map_or(Bitboard::ALL, Rank::bitboard);
        file & rank
    }

    fn find_piece(&self, position: &Position, role: Role) -> Result<Move, MoveTextError> {
        let us = position.turn();
        let capture = position.piece_at(self.to).is_some();
        if self.takes && !capture {
            return Err(MoveTextError::NotLegal);
        }
        let kind = if capture { MoveKind::Capture } else { MoveKind::Quiet };
        let from = attacks(us, role, self.to, position.occupied())
            & position.pieces(us, role)
            & self.origins();
        only_legal(position, from.map(|from| Move::new(from, self.to, kind)))
    }

    fn find_pawn(
        &self,
        position: &Position,
        promotion: Option<Role>,
    ) -> Result<Move, MoveTextError> {
        let us = position.turn();
        let promotes = self.to.rank() == Rank::Eighth.relative_to(us);
        if promotion.is_some() && !promotes {
            return Err(MoveTextError::NotLegal);
        }
        let pawns = position.pieces(us, Role::Pawn);
        let step = self.to.forward(!us);
        // A capture names the file that the pawn comes from, and that is not the one it arrives on.
        let captures = self.file.is_some_and(|file| file != self.to.file());
        let from = if captures {
            pawn_attacks(!us, self.to) & pawns
        } else if self.takes {
            Bitboard::EMPTY
        } else {
            (step.bitboard() | step.forward(!us).bitboard()) & pawns
        };
        // Without a letter a promotion fits four moves; to learn whether it fits any, one is tried.
        let wanted = if promotes { Some(promotion.unwrap_or(Role::Queen)) } else { None };
        let moves = (from & self.origins()).map(|from| match wanted {
            Some(role) => Move::promotion_to(from, self.to, role, captures),
            None => pawn_move(position, from, self.to, captures),
        });
        let mv = only_legal(position, moves)?;
        if promotes && promotion.is_none() { Err(MoveTextError::Ambiguous) } else { Ok(mv) }
    }
}

fn castle(position: &Position, side: CastlingSide) -> Result<Move, MoveTextError> {
    let us = position.turn();
    only_legal(
        position,
        std::iter::once(Move::new(position.king(us), castled_king(us, side), castling_kind(side))),
    )
}

/// The one legal move among these.
fn only_legal(
    position: &Position,
    moves: impl Iterator<Item = Move>,
) -> Result<Move, MoveTextError> {
    let mut legal = moves.filter(|&mv| position.is_legal(mv));
    let mv = legal.next().ok_or(MoveTextError::NotLegal)?;
    if legal.next().is_some() { Err(MoveTextError::Ambiguous) } else { Ok(mv) }
}
