/** An evaluation as a sentence for screen readers. */
import type { Info, Score } from "./protocol";

function spokenScore({ type, value }: Score, isWhiteToMove: boolean): string {
  if (type === "mate") {
    // A mate in 0 is on the board: the side to move has lost.
    const isWhite = value === 0 ? !isWhiteToMove : value > 0;
    return `${isWhite ? "White" : "Black"} mates in ${Math.abs(value)}`;
  }
  if (value === 0) return "Equal";
  return `${value > 0 ? "White" : "Black"} is better by ${(Math.abs(value) / 100).toFixed(2)}`;
}

export function spokenEvaluation({ lines, depth }: Info, isWhiteToMove: boolean): string {
  const [best] = lines;
  if (!best) return "No evaluation yet.";
  const move = best.pv_san[0] ? ` Best move ${best.pv_san[0]}.` : "";
  return `${spokenScore(best.score, isWhiteToMove)}, depth ${depth}.${move}`;
}
