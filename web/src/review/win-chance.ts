/** White's chance to win in a reviewed game, in percent. */
import { moverBefore, viewOf } from "./mover";
import type { MoveReview } from "./protocol";
import { winChance } from "./rules";

export function whiteChance(move: MoveReview, when: "before" | "after"): number {
  const mover = moverBefore(move.fen);
  const score = move[when];
  // Whoever mates has won. The score alone, a mate in 0, does not say who it is.
  if (score.type === "mate" && score.value === 0) {
    return winChance({ type: "mate", value: mover === "white" ? 1 : -1 });
  }
  return winChance(viewOf(score, "white"));
}
