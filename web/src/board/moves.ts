/**
 * Legal moves for a board on which a user points at two squares. Castling is king to rook or king
 * to the square where the king lands, in Chess960, too.
 */
import type { Chess } from "chessops/chess";
import type { CastlingSide, Square } from "chessops/types";
import { makeSquare, squareRank } from "chessops/util";

const SIDES: readonly CastlingSide[] = ["a", "h"];

/** The file where the king lands. */
const KING_FILE: Record<CastlingSide, number> = { a: 2, h: 6 };

interface Castling {
  readonly rook: Square;
  readonly target: Square;
}

/** The castling moves of the king on this square that are legal. */
function castlingsOf(position: Chess, king: Square): Castling[] {
  const dests = position.dests(king);
  return SIDES.flatMap((side) => {
    const rook = position.castles.rook[position.turn][side];
    if (rook === undefined || !dests.has(rook)) return [];
    return [{ rook, target: squareRank(king) * 8 + KING_FILE[side] }];
  });
}

const isKing = (position: Chess, square: Square) =>
  position.board.king.has(square) && position.board[position.turn].has(square);

/** The targets of each piece that can move. */
export function targetsOf(position: Chess): Map<Square, Square[]> {
  const targets = new Map<Square, Square[]>();
  for (const [from, dests] of position.allDests()) {
    if (dests.isEmpty()) continue;
    const squares = new Set(dests);
    if (isKing(position, from)) {
      for (const { target } of castlingsOf(position, from)) {
        if (target !== from) squares.add(target);
      }
    }
    targets.set(from, [...squares]);
  }
  return targets;
}

/** The UCI of a move between two squares, castling as king takes rook, without a promotion. */
export function uciOf(position: Chess, from: Square, to: Square): string {
  const isStep = position.dests(from).has(to);
  const castling = isKing(position, from) && !isStep
    ? castlingsOf(position, from).find(({ target }) => target === to)
    : undefined;
  return makeSquare(from) + makeSquare(castling?.rook ?? to);
}

/** Whether a move takes a pawn to the last rank. */
export function isPromotion(position: Chess, from: Square, to: Square): boolean {
  return position.board.pawn.has(from) && [0, 7].includes(squareRank(to));
}
