/** The glyphs of a review in the move list. The tree itself keeps none of them. */
import type { NodeId, TreeNode } from "../tree/tree";
import { KINDS, type MoveReview } from "./protocol";

/** Nags 1 to 6 assess the move. A move has at most one of them. */
export const isAssessment = (nag: number) => nag >= 1 && nag <= 6;

/** The nag of each judged move. `ids` are the nodes of the moves, in game order. */
export function glyphsOf(
  ids: readonly NodeId[], moves: readonly (MoveReview | null)[],
): ReadonlyMap<NodeId, number> {
  return new Map(ids.flatMap((id, index) => {
    const judgement = moves[index]?.judgement;
    return judgement ? [[id, KINDS[judgement].nag] as const] : [];
  }));
}

/** The nags that the list shows. An assessment in the tree, such as the user's own, wins. */
export function shownNags(
  { id, nags }: Pick<TreeNode, "id" | "nags">, glyphs: ReadonlyMap<NodeId, number>,
): readonly number[] {
  const glyph = glyphs.get(id);
  return glyph === undefined || nags.some(isAssessment) ? nags : [glyph, ...nags];
}
