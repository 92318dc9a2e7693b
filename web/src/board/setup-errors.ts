/** Places of the errors of a position: the fields, and the squares of the board. */
import type { Square } from "chessops/types";
import { parseSquare } from "chessops/util";
import type { FenField, FieldNote } from "./position-check";
import { boardOf, type Setup } from "./setup";

const PLACES: Record<FenField, string> = {
  board: "board", side: "side to move", castling: "castling", en_passant: "en passant",
  halfmove_clock: "half-move clock", fullmove_number: "move number", fen: "FEN",
};

/** How many errors there are, and beside which fields: `2 errors, see: board, castling.` */
export function errorPlaces(errors: readonly FieldNote[]): string {
  const places = new Set(errors.map(({ field }) => PLACES[field]));
  const count = errors.length > 1 ? `${errors.length} errors` : "1 error";
  return `${count}, see: ${[...places].join(", ")}.`;
}

/** The squares at fault: those that the errors name, kings beyond the first, pawns at the ends. */
export function faultSquares(setup: Setup, errors: string): readonly Square[] {
  const board = boardOf(setup);
  const named = [...errors.matchAll(/\b[a-h][1-8]\b/g)].map(([name]) => parseSquare(name)!);
  const kings = (["white", "black"] as const).map((color) => board.pieces(color, "king"))
    .filter((squares) => squares.size() > 1);
  const pawns = [...board.pawn].filter((square) => square < 8 || square > 55);
  return [...new Set([...named, ...kings.flatMap((squares) => [...squares]), ...pawns])];
}
