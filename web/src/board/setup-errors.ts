/** Places of the errors of a position: the fields, and the squares of the board. */
import type { Square } from "chessops/types";
import { parseSquare } from "chessops/util";
import type { FenField, FieldNote } from "./position-check";
import { boardOf, type Setup } from "./setup";

const PLACES: Record<FenField, string> = {
  board: "board", side: "side to move", castling: "castling", en_passant: "en passant",
  halfmove_clock: "half-move clock", fullmove_number: "move number", fen: "FEN",
};

/** The one error, or how many there are and where: `2 errors, see: board, castling.` */
export function errorSummary(errors: readonly FieldNote[]): string {
  if (errors.length === 1) return errors[0]!.text;
  const places = new Set(errors.map(({ field }) => PLACES[field]));
  return `${errors.length} errors, see: ${[...places].join(", ")}.`;
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
