/** A review as annotations of the tree: evaluations, glyphs and best lines. */
import type { Score } from "../engine/protocol";
import {
  annotate, nodeOf, playLine, type NodeId, type Tree, type TreeNode,
} from "../tree/tree";
import { isAssessment } from "./glyphs";
import { KINDS, type MoveReview } from "./protocol";

/** The moves of a best line that become a variation, as many as in the server's PGN. */
const VARIATION_PLIES = 12;

/** The command in a comment, from White's view. A position after checkmate has none. */
function evalCommand({ type, value }: Score): string | null {
  if (type === "mate") return value === 0 ? null : `[%eval #${value}]`;
  return `[%eval ${(value / 100).toFixed(2)}]`;
}

/** A command with the blanks before it. No text is read twice, however long it is. */
const EVAL = /(?<!\s)\s*\[%eval\s[^\][]*\]/g;

function annotatedComments({ comments }: TreeNode, score: Score): string[] {
  const others = comments
    .map((comment) => comment.replaceAll(EVAL, "").trim())
    .filter((comment) => comment !== "");
  const command = evalCommand(score);
  if (command === null) return others;
  const [first, ...rest] = others;
  return [first === undefined ? command : `${command} ${first}`, ...rest];
}

const withAssessment = (nags: readonly number[], nag: number) =>
  [...nags.filter((known) => !isAssessment(known)), nag];

function annotateMove(tree: Tree, id: NodeId, review: MoveReview): Tree {
  const node = nodeOf(tree, id);
  const comments = annotatedComments(node, review.after);
  if (review.judgement === null || node.parent === null) return annotate(tree, id, { comments });
  const nags = withAssessment(node.nags, KINDS[review.judgement].nag);
  const annotated = annotate(tree, id, { comments, nags });
  return playLine(annotated, node.parent, review.line.slice(0, VARIATION_PLIES)).tree;
}

/**
 * The tree with a review. An evaluation or an assessment by this review replaces an earlier one;
 * everything else stays. `ids` are the nodes of the moves, in game order.
 */
export function addReview(
  tree: Tree, ids: readonly NodeId[], moves: readonly (MoveReview | null)[],
): Tree {
  return moves.reduce((annotated, review, index) => {
    const id = ids[index];
    return review && id !== undefined ? annotateMove(annotated, id, review) : annotated;
  }, tree);
}
