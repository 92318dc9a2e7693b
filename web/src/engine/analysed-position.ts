/** A position of the tree as the server takes it. */
import { playedLine, type PlayedLine, type TreeNode } from "../tree/tree";

/** An earlier position and the moves from there: the server counts repetitions. */
export interface AnalysedPosition extends PlayedLine {
  /** The key of its evaluation: its FEN. */
  readonly key: string;
}

const halfmoveClock = (fen: string) => Number(fen.split(" ")[4] ?? 0);

/** The last position of a path. Moves before the last capture or pawn move change nothing. */
export function analysedPosition(path: readonly TreeNode[]): AnalysedPosition | null {
  const shown = path.at(-1);
  if (!shown) return null;
  const first = Math.max(path.length - 1 - halfmoveClock(shown.fen), 0);
  return { key: shown.fen, ...playedLine(path.slice(first)) };
}

export const isSamePosition = (a: AnalysedPosition | null, b: AnalysedPosition | null) =>
  a === b || (a?.key === b?.key && a?.fen === b?.fen && a?.moves.join() === b?.moves.join());
