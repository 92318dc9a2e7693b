/** The names of squares and of what stands on them, for screen readers and messages. */
import type { Board } from "chessops/board";
import type { Color, Piece, Square } from "chessops/types";
import { makeSquare } from "chessops/util";

export const COLOR_NAMES: Record<Color, string> = { white: "White", black: "Black" };

export const pieceName = ({ color, role }: Piece) => `${color} ${role}`;

/** A square with its piece: `e4, white pawn`, or `e4, empty`. */
export function squareName(board: Board, square: Square): string {
  const piece = board.get(square);
  return `${makeSquare(square)}, ${piece ? pieceName(piece) : "empty"}`;
}

/** Names as a list for reading: `e3, e4 or e5`. */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** The square in a row and a column of the drawn board, counted from its top left corner. */
export function squareAt(row: number, column: number, orientation: Color): Square {
  return orientation === "white" ? (7 - row) * 8 + column : row * 8 + (7 - column);
}
