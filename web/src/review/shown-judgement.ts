/** The judgement of the shown move: the review's, or else the running analysis's. */
import { viewOf } from "../engine/protocol";
import type { TreeNode } from "../tree/tree";
import { isAssessment } from "./glyphs";
import type { Judgement } from "./live-judgement";
import { moverBefore } from "./mover";
import type { MoveReview } from "./protocol";
import { sentenceOf } from "./sentence";

/** A judgement with its source, which is named where another one stands beside it. */
export interface ShownJudgement extends Judgement {
  readonly source: "Review" | "Engine" | null;
}

interface Known {
  readonly node: TreeNode;
  readonly fenBefore: string;
  /** What the review says of the move, if it has reached it. */
  readonly move: MoveReview | null;
  /** The best line after the move by the review. */
  readonly answer: readonly string[];
  readonly live: Judgement | null;
}

/** What a review says of a move. */
function ofReview(move: MoveReview, { fenBefore, answer }: Known): Judgement {
  const mover = moverBefore(move.fen);
  const { type, value } = viewOf(move.after, mover);
  // The player who mates has won, which a mate in 0 does not say.
  const after = { type, value: type === "mate" && value === 0 ? 1 : value };
  const described = {
    san: move.san, fenBefore, bestSan: move.best_san, bestLine: move.line, fenAfter: move.fen,
    answer, before: viewOf(move.before, mover), after,
  };
  return { ...move, text: sentenceOf(described, move, move.best === move.uci) };
}

/**
 * The review's judgement wins, also over a live search that is deeper. The glyph in the list, the
 * graph, the counts and the accuracy all come from the review, and one move must not have two
 * verdicts on one page. The engine's panel shows what the deeper search says, in its own numbers,
 * and “Review again” with a greater depth replaces all of the review at once.
 *
 * Other moves are judged live. If such a move has a glyph, it is the user's or another program's:
 * the sentence then says that it is the engine's.
 */
export function shownJudgement(known: Known): ShownJudgement | null {
  const { node, move, live } = known;
  if (move) return { ...ofReview(move, known), source: "Review" };
  return live && { ...live, source: node.nags.some(isAssessment) ? "Engine" : null };
}
