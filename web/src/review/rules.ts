/** The server's rules of a review, until it judges single moves itself. */
import type { Score } from "../engine/protocol";
import type { JudgementName } from "./protocol";
import type { Scores } from "./judge";

const CEILING = 1_000;

/** A mate in 0 is a mate against the side to move, so its view must be known. */
export const centipawns = ({ type, value }: Score): number =>
  type === "mate" ? Math.sign(value) * CEILING : Math.max(-CEILING, Math.min(CEILING, value));

/** The chance to win in percent, where a draw is half a win. */
export const winChance = (score: Score): number =>
  100 / (1 + Math.exp(-0.003_682_08 * centipawns(score)));

export const lossOf = ({ before, after, best }: Scores): number =>
  best ? 0 : Math.max(0, winChance(before) - winChance(after));

function ofMate(score: number): JudgementName {
  if (score >= 1_000) return "inaccuracy";
  return score > 700 ? "mistake" : "blunder";
}

export function judgementOf(scores: Scores): JudgementName | null {
  const { before, after, best } = scores;
  const isMating = (score: Score) => score.type === "mate" && score.value > 0;
  const isMated = (score: Score) => score.type === "mate" && score.value <= 0;
  if (best || isMated(before) || isMating(after)) return null;
  if (isMated(after)) return isMating(before) ? "blunder" : ofMate(-before.value);
  if (isMating(before)) return ofMate(after.value);
  const loss = lossOf(scores);
  if (loss >= 15) return "blunder";
  if (loss >= 10) return "mistake";
  return loss >= 5 ? "inaccuracy" : null;
}
