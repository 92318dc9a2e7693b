/** All legal moves of a position. */
import type { Chess } from "chessops/chess";
import type { NormalMove, Role } from "chessops/types";
import { squareRank } from "chessops/util";

const PROMOTIONS: readonly Role[] = ["queen", "rook", "bishop", "knight"];

/** All legal moves, with castling as king takes rook. */
export function legalMoves(position: Chess): NormalMove[] {
  const moves: NormalMove[] = [];
  for (const [from, targets] of position.allDests()) {
    const isPawn = position.board.pawn.has(from);
    for (const to of targets) {
      const isPromotion = isPawn && [0, 7].includes(squareRank(to));
      if (!isPromotion) moves.push({ from, to });
      else moves.push(...PROMOTIONS.map((promotion) => ({ from, to, promotion })));
    }
  }
  return moves;
}
