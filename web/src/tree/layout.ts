/**
 * The order of the move list, as texts that name its parts. Equal texts mean equal parts, so the
 * view changes only what an edit has changed.
 */
import { textOf } from "./notes";
import { nodeOf, ROOT, type NodeId, type Tree, type TreeNode } from "./node";

/**
 * A cell of the main line: `n7` is the number of move 7, `b7` an empty place beside it, `m7` the
 * move, `x7` the comments and variations after it.
 */
export type Cell = `${"n" | "b" | "m" | "x"}${NodeId}`;

const hasText = ({ comments }: TreeNode) => textOf(comments) !== "";

/** The moves that are played instead of the first one of a fork. */
export const alternatives = (tree: Tree, id: NodeId): readonly NodeId[] => {
  const { parent } = nodeOf(tree, id);
  return parent === null ? [] : nodeOf(tree, parent).children.slice(1);
};

/** The cells of the main line. Each row has a number, a move of White and a move of Black. */
export function mainCells(tree: Tree): Cell[] {
  const cells: Cell[] = hasText(nodeOf(tree, ROOT)) ? [`x${ROOT}`] : [];
  let isRowOpen = false;
  for (let id = nodeOf(tree, ROOT).children[0]; id !== undefined; ) {
    const node = nodeOf(tree, id);
    const isWhite = node.ply % 2 === 1;
    if (isWhite) cells.push(`n${id}`, `m${id}`);
    else if (isRowOpen) cells.push(`m${id}`);
    else cells.push(`n${id}`, `b${id}`, `m${id}`);
    const isInterrupted = hasText(node) || alternatives(tree, id).length > 0;
    if (isInterrupted) cells.push(...(isWhite ? [`b${id}` as const] : []), `x${id}`);
    isRowOpen = isWhite && !isInterrupted;
    id = node.children[0];
  }
  return cells;
}

/** A move of a variation in running text. */
interface Word {
  readonly id: NodeId;
  /** Whether a bracket opens before it, closes after it. */
  readonly opens: boolean;
  readonly closes: boolean;
  /** Whether the number stands before it, also before a move of Black. */
  readonly isNumbered: boolean;
}

const wordText = ({ id, opens, closes, isNumbered }: Word): string =>
  `${opens ? "(" : ""}${isNumbered ? "#" : ""}${id}${closes ? ")" : ""}`;

export const wordOf = (text: string): Word => ({
  id: Number(text.replace(/[^\d]/g, "")),
  opens: text.startsWith("("),
  closes: text.endsWith(")"),
  isNumbered: text.includes("#"),
});

/** A line of a variation up to its next fork. The lines after the fork are one level deeper. */
export interface Line {
  readonly depth: number;
  readonly words: readonly string[];
}

/** A variation of so many moves, without forks and comments, stands in brackets. */
const MAX_BRACKETED = 6;

/** The moves of a variation that is short enough for brackets, or `null`. */
function bracketed(tree: Tree, first: NodeId): TreeNode[] | null {
  const moves: TreeNode[] = [];
  for (let id: NodeId | undefined = first; id !== undefined; ) {
    const node: TreeNode = nodeOf(tree, id);
    const isLong = moves.length >= MAX_BRACKETED || node.children.length > 1;
    if (isLong || hasText(node) || textOf(node.startingComments) !== "") return null;
    moves.push(node);
    id = node.children[0];
  }
  return moves;
}

/** The words of a line from its first move, and the moves that its last fork has. */
function lineFrom(tree: Tree, first: NodeId): { words: string[]; forks: readonly NodeId[] } {
  const words: string[] = [];
  let isNumbered = true;
  const add = (node: TreeNode, opens = false, closes = false) => {
    isNumbered ||= node.ply % 2 === 1;
    words.push(wordText({ id: node.id, opens, closes, isNumbered }));
    isNumbered = closes || hasText(node);
  };
  add(nodeOf(tree, first));
  for (let { children } = nodeOf(tree, first); ; ) {
    const [next, ...others] = children;
    if (next === undefined) return { words, forks: [] };
    const asides = others.map((id) => bracketed(tree, id));
    if (asides.some((moves) => moves === null)) return { words, forks: children };
    add(nodeOf(tree, next));
    for (const moves of asides) {
      isNumbered = true;
      moves?.forEach((node, index) => add(node, index === 0, index === moves.length - 1));
    }
    ({ children } = nodeOf(tree, next));
  }
}

/** The lines of variations, by their first moves, in the order of reading. */
export function variationLines(tree: Tree, firsts: readonly NodeId[]): Map<NodeId, Line> {
  const lines = new Map<NodeId, Line>();
  const pending = firsts.toReversed().map((id) => ({ id, depth: 0 }));
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { id, depth } = next;
    const { words, forks } = lineFrom(tree, id);
    lines.set(id, { depth, words });
    pending.push(...forks.toReversed().map((fork) => ({ id: fork, depth: depth + 1 })));
  }
  return lines;
}
