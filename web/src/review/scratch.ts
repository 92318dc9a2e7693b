/** A position that is not in the tree, shown on the board in place of the tree's. */
import type { Chess } from "chessops/chess";
import { makeFen } from "chessops/fen";
import { legalMove, positionOf } from "../tree/tree";

export interface Scratch {
  readonly fen: string;
  readonly position: Chess;
  readonly lastMove: string | null;
}

/** A position after a move, or without one if it is `null` or illegal. */
export function scratchOf(fen: string, uci: string | null): Scratch {
  const position = positionOf(fen);
  const move = uci === null ? null : legalMove(position, uci);
  if (!move) return { fen, position, lastMove: null };
  position.play(move);
  return { fen: makeFen(position.toSetup()), position, lastMove: uci };
}
