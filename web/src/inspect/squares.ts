/** Names of squares, pieces and castling rights, as the panel writes them. */
import { makeSquare } from "chessops/util";

/** A square as a number: a1 is 0, b1 is 1, h8 is 63. */
export type Square = number;

export const SQUARES: readonly Square[] = Array.from({ length: 64 }, (_, square) => square);

export const squareName = (square: Square): string => makeSquare(square);

/** The square of a list index, and the list index of a square: a8 is 0, h1 is 63. */
export const listIndex = (square: Square): Square => square ^ 56;

/** The squares as a sentence has them: `e4`, `e4, d5`, `8 squares`. */
export function squareNames(squares: readonly Square[]): string {
  if (squares.length > 4) return `${squares.length} squares`;
  return squares.map(squareName).join(", ");
}

/** The piece states of the list: 0 is empty, 1–6 are White's pieces, 7–12 are Black's. */
const PIECE_STATES = [
  "empty",
  ...["white", "black"].flatMap((color) =>
    ["pawn", "knight", "bishop", "rook", "queen", "king"].map((role) => `${color} ${role}`)),
];

export const pieceName = (state: number): string => PIECE_STATES[state] ?? "unknown";

/** The castling rights of a state with bit 0 for White short, as FEN has them: `KQkq`, `-`. */
export function castlingLetters(state: number): string {
  const letters = [..."KQkq"].filter((_, bit) => (state >> bit) & 1);
  return letters.join("") || "-";
}

export const fileName = (file: number): string => "abcdefgh"[file] ?? "?";
