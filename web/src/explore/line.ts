/** The moves that lead to the shown position: what the server is asked about. */
import { playedLine, type TreeNode } from "../tree/tree";

export interface Line {
  /** Names the line among all lines: the position it starts from and its moves. */
  readonly key: string;
  /** The position before the moves. */
  readonly root: string;
  readonly moves: readonly string[];
  /** The position after them. */
  readonly fen: string;
}

const SEPARATOR = ";";

const keyOf = (root: string, moves: readonly string[]) => [root, ...moves].join(SEPARATOR);

/** The line of a path through the tree, from its root to the shown node. */
export function lineOf(path: readonly TreeNode[]): Line {
  const { fen: root, moves } = playedLine(path);
  return { key: keyOf(root, moves), root, moves, fen: path.at(-1)?.fen ?? root };
}

/** The line with more moves; `fen` is the position after them. */
export function continued({ root, moves }: Line, more: readonly string[], fen: string): Line {
  const all = [...moves, ...more];
  return { key: keyOf(root, all), root, moves: all, fen };
}

/** The keys of a line and of all lines that it continues, the longest first. */
export function* keysUpwards({ key }: Line): Generator<string> {
  for (let end = key.length; end > 0; end = key.lastIndexOf(SEPARATOR, end - 1)) {
    yield key.slice(0, end);
  }
}
