/** A position of the tree as the server takes it. */
import type { TreeNode } from "../tree/tree";

export interface AnalysedPosition {
  /** The key of its evaluation: its FEN. */
  readonly key: string;
  /** An earlier position, and the moves from there: the server counts repetitions. */
  readonly fen: string;
  readonly moves: readonly string[];
}

const halfmoveClock = (fen: string) => Number(fen.split(" ")[4] ?? 0);

/** The last position of a path. Moves before the last capture or pawn move change nothing. */
export function analysedPosition(path: readonly TreeNode[]): AnalysedPosition | null {
  const shown = path.at(-1);
  if (!shown) return null;
  const first = Math.max(path.length - 1 - halfmoveClock(shown.fen), 0);
  return {
    key: shown.fen,
    fen: path[first]!.fen,
    moves: path.slice(first + 1).flatMap(({ uci }) => uci ?? []),
  };
}

export const isSamePosition = (a: AnalysedPosition | null, b: AnalysedPosition | null) =>
  a === b || (a?.key === b?.key && a?.fen === b?.fen && a?.moves.join() === b?.moves.join());
