/** A chosen piece from position to position: where it stands after the moves between them. */
import { parseSquare } from "chessops/util";
import { createEffect, on } from "solid-js";
import type { TreeStore } from "../tree/store";
import type { TreeNode } from "../tree/tree";
import type { Square } from "./squares";

/** The change of a square's piece to another square. */
type Shift = readonly [from: Square, to: Square];

/** A move that was played, or taken back. */
interface Step {
  readonly shifts: readonly Shift[];
  /** The square where something may have been captured. */
  readonly captured: Square | null;
}

/** The square of the same rank on another file. */
const onFile = (square: Square, file: number): Square => square - (square % 8) + file;

/** The pieces that a move shifts. Castling is king to rook. */
function shiftsOf({ uci, san }: TreeNode): Shift[] {
  const from = parseSquare(uci?.slice(0, 2) ?? "");
  const to = parseSquare(uci?.slice(2, 4) ?? "");
  if (from === undefined || to === undefined) return [];
  if (!san?.startsWith("O-O")) return [[from, to]];
  const isLong = san.startsWith("O-O-O");
  return [[from, onFile(from, isLong ? 2 : 6)], [to, onFile(to, isLong ? 3 : 5)]];
}

const played = (node: TreeNode): Step => {
  const shifts = shiftsOf(node);
  return { shifts, captured: node.san?.includes("x") ? (shifts[0]?.[1] ?? null) : null };
};

const takenBack = (node: TreeNode): Step => ({
  shifts: shiftsOf(node).map(([from, to]) => [to, from]), captured: null,
});

/** The steps between the ends of two paths from a root. None if the games differ. */
export function stepsBetween(before: readonly TreeNode[], after: readonly TreeNode[]): Step[] {
  const isSame = (node: TreeNode, index: number) =>
    node.id === after[index]?.id && node.fen === after[index].fen;
  const differs = before.findIndex((node, index) => !isSame(node, index));
  const common = differs < 0 ? before.length : differs;
  if (common === 0) return [];
  return [
    ...before.slice(common).reverse().map(takenBack), ...after.slice(common).map(played),
  ];
}

/** Where the piece of a square stands after the steps, or `null` if it was captured. */
export function squareAfter(square: Square, steps: readonly Step[]): Square | null {
  let at = square;
  for (const { shifts, captured } of steps) {
    if (at === captured) return null;
    at = shifts.find(([from]) => from === at)?.[1] ?? at;
  }
  return at;
}

/** Calls back after the shown position has changed, with the new places of pieces. */
export function onSteps(
  tree: TreeStore,
  moved: (after: (square: Square) => Square | null) => void,
): void {
  createEffect(on(tree.path, (path, before) => {
    const steps = stepsBetween(before ?? path, path);
    if (steps.length) moved((square) => squareAfter(square, steps));
  }));
}
