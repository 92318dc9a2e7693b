/** States, ages and scores of positions, written for people. */
import type { Color } from "chessops/types";
import { scoreText, viewOf, type Score } from "../engine/protocol";
import type { DrawReason, ExploredMove, GameState } from "./protocol";

const DRAWS: Record<DrawReason, string> = {
  fivefold_repetition: "Draw by fivefold repetition.",
  seventy_five_moves: "Draw by the 75-move rule.",
  dead_position: "Draw: neither side can mate.",
};

const CLAIMS = {
  threefold_repetition: "Threefold repetition",
  fifty_moves: "50 moves without a capture or a pawn move",
} as const;

/** What ended the game or what the player to move may claim; `null` if it simply goes on. */
export function stateText({ status, winner, draw_reason, claims }: GameState): string | null {
  if (status === "checkmate") return `Checkmate: ${winner === "white" ? "White" : "Black"} wins.`;
  if (status === "stalemate") return "Draw by stalemate.";
  if (status === "draw") return draw_reason ? DRAWS[draw_reason] : "Draw.";
  if (claims.length === 0) return null;
  const reasons = claims.map((claim) => CLAIMS[claim]).join(", ");
  return `${reasons}: the player to move may claim a draw.`;
}

/** What a move leads to, in one word; empty if the game goes on. */
export const endText = ({ status }: ExploredMove): string =>
  status === "ongoing" ? "" : status === "checkmate" ? "mate" : status;

const UNITS = [["day", 86_400], ["h", 3_600], ["min", 60], ["s", 1]] as const;

/** `3 min ago`. */
export function ageText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 5) return "just now";
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? ["s", 1];
  const number = Math.floor(seconds / length);
  return `${number} ${unit === "day" && number > 1 ? "days" : unit} ago`;
}

/** A score from the view of this side, as White sees it. */
export const whiteScoreText = (score: Score, side: Color): string =>
  scoreText(viewOf(score, side));
