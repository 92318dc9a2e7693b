/** Reviewed moves for tests. */
import type { MoveReview } from "./protocol";

const cp = (value: number) => ({ type: "cp" as const, value });

const judgementFor = (loss: number) =>
  loss >= 15 ? "blunder" : loss >= 10 ? "mistake" : loss >= 5 ? "inaccuracy" : null;

/** A move that loses so much win chance, in percent. */
export const review = (ply: number, loss = 0): MoveReview => ({
  ply, san: "Nf3", uci: "g1f3",
  fen: `8/8/8/8/8/8/8/8 ${ply % 2 === 1 ? "b" : "w"} - - 0 ${Math.floor(ply / 2) + 1}`,
  before: cp(0), after: cp(0), best: "e2e4", best_san: "e4", line: ["e2e4", "e7e5"],
  win_chance: { before: 50, after: 50 },
  win_chance_loss: loss, judgement: judgementFor(loss), accuracy: 100 - loss,
});
