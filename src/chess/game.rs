//! A game: a start position, the moves played from it, and the state that depends on its history.

use super::outcome::{DrawClaim, DrawReason, Outcome, is_dead_position};
use super::{
    Bitboard, CastlingSide, Color, Move, Position, Rank, Role, Square, castled_rook_square,
};

/// A start position and the legal moves played from it, with an undo stack.
///
/// ```
/// use kibitzer::chess::{Color, Game, Outcome, Position, parse_move};
///
/// let mut game = Game::new(Position::startpos());
/// for text in ["f3", "e5", "g4", "Qh4#"] {
///     let mv = parse_move(game.position(), text).expect("the move is legal");
///     game.play(mv);
/// }
/// assert_eq!(game.outcome(), Outcome::Checkmate { winner: Color::Black });
///
/// game.undo();
/// assert_eq!(game.outcome(), Outcome::Ongoing);
/// assert_eq!(game.moves().len(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    /// The squares of the pieces that have moved.
    moved_pieces: Bitboard,
    moves: Vec<Move>,
    /// For each move, the key of the position before it.
    keys: Vec<u64>,
    /// For each move, the state before it.
    undo_stack: Vec<UndoEntry>,
}

#[derive(Clone, Debug)]
struct UndoEntry {
    position: Position,
    moved_pieces: Bitboard,
}

impl Game {
    /// A game that starts with a position.
    pub fn new(position: Position) -> Game {
        let moved_pieces = moved_at_start(&position);
        Game { position, moved_pieces, moves: Vec::new(), keys: Vec::new(), undo_stack: Vec::new() }
    }

    /// The position after all moves.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The start position.
    pub fn start(&self) -> &Position {
        self.undo_stack.first().map_or(&self.position, |first| &first.position)
    }

    /// The moves played, in order.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position before the move with an index. The index after the last move gives the current
    /// position.
    pub fn position_before(&self, index: usize) -> Option<&Position> {
        match self.undo_stack.get(index) {
            Some(earlier) => Some(&earlier.position),
            None => (index == self.undo_stack.len()).then_some(&self.position),
        }
    }

    /// Plays a move, which must be legal. Moves can also be played after the end of the game; see
    /// [`Game::outcome`].
    pub fn play(&mut self, mv: Move) {
        let after = self.position.after(mv);
        let moved = moved_pieces_after(&self.position, self.moved_pieces, mv);
        self.moves.push(mv);
        self.keys.push(self.position.key());
        let position = std::mem::replace(&mut self.position, after);
        self.undo_stack.push(UndoEntry { position, moved_pieces: self.moved_pieces });
        self.moved_pieces = moved;
    }

    /// Takes the last move back and returns it. Returns `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let earlier = self.undo_stack.pop()?;
        self.keys.pop();
        self.position = earlier.position;
        self.moved_pieces = earlier.moved_pieces;
        self.moves.pop()
    }

    /// The squares of the pieces that have moved. These are the pieces that a move of the game has
    /// moved, even if they returned, and the pieces that count as moved in the start position.
    pub fn moved_pieces(&self) -> Bitboard {
        self.moved_pieces
    }

    /// The outcome of the game. Mate comes before every draw, and stalemate before the other draws.
    pub fn outcome(&self) -> Outcome {
        if !self.position.has_moves() {
            return match self.position.in_check() {
                true => Outcome::Checkmate { winner: !self.position.turn() },
                false => Outcome::Stalemate,
            };
        }
        if self.occurrences() >= 5 {
            Outcome::Draw(DrawReason::FivefoldRepetition)
        } else if self.position.halfmove_clock() >= 150 {
            Outcome::Draw(DrawReason::SeventyFiveMoves)
        } else if is_dead_position(&self.position) {
            Outcome::Draw(DrawReason::DeadPosition)
        } else {
            Outcome::Ongoing
        }
    }

    /// The draws that the player to move may claim; empty after the end of the game.
    pub fn claims(&self) -> Vec<DrawClaim> {
        let mut claims = Vec::new();
        if self.outcome().is_over() {
            return claims;
        }
        if self.occurrences() >= 3 {
            claims.push(DrawClaim::ThreefoldRepetition);
        }
        if self.position.halfmove_clock() >= 100 {
            claims.push(DrawClaim::FiftyMoves);
        }
        claims
    }

    /// The keys of all earlier positions, oldest first, without the current position.
    pub fn earlier_keys(&self) -> &[u64] {
        &self.keys
    }

    /// The keys of the earlier positions that can occur again, in rising order, with the number of
    /// their occurrences. They are the positions since the last capture, pawn move or loss of a
    /// castling right.
    pub fn reversible_key_counts(&self) -> Vec<(u64, u8)> {
        let mut keys: Vec<u64> = self.reversible_positions().map(Position::key).collect();
        keys.sort_unstable();
        keys.chunk_by(|a, b| a == b)
            .map(|run| (run[0], u8::try_from(run.len()).unwrap_or(u8::MAX)))
            .collect()
    }

    /// The number of occurrences of the current position, including the present one.
    pub fn occurrences(&self) -> u32 {
        let current = &self.position;
        let earlier = self
            .reversible_positions()
            .filter(|other| other.key() == current.key() && is_same_position(other, current))
            .count();
        u32::try_from(earlier + 1).unwrap_or(u32::MAX)
    }

    /// The earlier positions since the last irreversible move, newest first.
    fn reversible_positions(&self) -> impl Iterator<Item = &Position> {
        let positions = self.undo_stack.iter().rev().map(|earlier| &earlier.position);
        let mut after = &self.position;
        positions.zip(self.moves.iter().rev()).map_while(move |(before, &mv)| {
            let reversible = is_reversible(before, mv, after);
            after = before;
            reversible.then_some(before)
        })
    }
}

/// `true` when the move is no capture, no pawn move and ends no castling right.
fn is_reversible(before: &Position, mv: Move, after: &Position) -> bool {
    !mv.is_capture()
        && before.role_at(mv.from()) != Some(Role::Pawn)
        && before.castling_rights() == after.castling_rights()
}

/// `true` when pieces, rights and side to move are equal. Equal keys make this very likely, but a
/// draw by repetition needs certainty.
fn is_same_position(a: &Position, b: &Position) -> bool {
    a.turn() == b.turn()
        && a.castling_rights() == b.castling_rights()
        && a.en_passant() == b.en_passant()
        && Color::ALL.iter().all(|&color| a.by_color(color) == b.by_color(color))
        && Role::ALL.iter().all(|&role| a.by_role(role) == b.by_role(role))
}

/// The pieces of a start position that count as moved.
fn moved_at_start(position: &Position) -> Bitboard {
    let unmoved = Color::ALL
        .into_iter()
        .fold(Bitboard::EMPTY, |unmoved, color| unmoved | unmoved_at_start(position, color));
    position.occupied().without(unmoved)
}

/// The pieces of a player that count as unmoved: pawns on their second rank, a king and rooks with
/// a castling right, and other pieces on their squares of standard chess.
fn unmoved_at_start(position: &Position, color: Color) -> Bitboard {
    let mut unmoved =
        position.pieces(color, Role::Pawn) & Rank::Second.relative_to(color).bitboard();
    for role in [Role::Knight, Role::Bishop, Role::Queen] {
        let home = home_squares(role);
        unmoved |= position.pieces(color, role)
            & if color.is_white() { home } else { home.flip_vertical() };
    }
    for rook in CastlingSide::ALL.into_iter().filter_map(|side| position.castling_rook(color, side))
    {
        unmoved |= rook.bitboard() | position.king(color).bitboard();
    }
    unmoved
}

/// The start squares of White's knights, bishops and queen in standard chess.
const fn home_squares(role: Role) -> Bitboard {
    Bitboard(match role {
        Role::Knight => 0x42,
        Role::Bishop => 0x24,
        Role::Queen => 0x08,
        Role::Pawn | Role::Rook | Role::King => 0,
    })
}

/// The squares of the moved pieces after a move.
fn moved_pieces_after(before: &Position, moved: Bitboard, mv: Move) -> Bitboard {
    let us = before.turn();
    let (from, to) = (mv.from().bitboard(), mv.to().bitboard());
    let mut vacated = from;
    let mut reached = to;
    if let Some(side) = mv.castling_side() {
        vacated |= before.castling_rook(us, side).map_or(Bitboard::EMPTY, Square::bitboard);
        reached |= castled_rook_square(us, side).bitboard();
    }
    if mv.is_en_passant() {
        vacated |= mv.to().forward(!us).bitboard();
    }
    moved.without(vacated) | reached
}

#[cfg(test)]
mod tests;
