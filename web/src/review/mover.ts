/** The player of a half move, and scores from that player's view. */
import type { Color } from "chessops/types";
import type { Score } from "../engine/protocol";

/** The player who made the move before a position with this side to move in its FEN. */
export const moverBefore = (fen: string): Color => (fen.split(" ")[1] === "w" ? "black" : "white");

/** A score of White's view from a player's view, or the other way round. */
export const viewOf = ({ type, value }: Score, color: Color): Score => ({
  // `|| 0` turns −0 into 0.
  type, value: color === "white" ? value : -value || 0,
});
