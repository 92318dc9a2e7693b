/** The end of a game on the board. */
import type { Chess } from "chessops/chess";
import { opposite } from "chessops/util";
import { COLOR_NAMES } from "./squares";

/** The result of a game that is over, as a sentence. */
export function outcomeText(position: Chess): string | null {
  if (position.isCheckmate()) return `Checkmate: ${COLOR_NAMES[opposite(position.turn)]} wins`;
  if (position.isStalemate()) return "Stalemate: draw";
  if (position.isInsufficientMaterial()) return "Neither side can mate: draw";
  return null;
}
