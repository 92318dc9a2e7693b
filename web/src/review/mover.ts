/** The player of a half move. */
import type { Color } from "chessops/types";

/** The player who made the move before a position with this side to move in its FEN. */
export const moverBefore = (fen: string): Color => (fen.split(" ")[1] === "w" ? "black" : "white");
