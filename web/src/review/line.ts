/** Lines of moves for reading, and moves in one form. */
import { makeSanAndPlay } from "chessops/san";
import { makeUci } from "chessops/util";
import { moveNumber } from "../tree/notation";
import { legalMove, plyOf, positionOf } from "../tree/tree";

/** The first moves of a line in SAN, up to the first illegal one. */
export function sansOf(fen: string, moves: readonly string[], count = moves.length): string[] {
  const position = positionOf(fen);
  const sans: string[] = [];
  for (const uci of moves.slice(0, count)) {
    const move = legalMove(position, uci);
    if (!move) break;
    sans.push(makeSanAndPlay(position, move));
  }
  return sans;
}

/** The first moves of a line with their numbers: `1… d5 2. exd5 Qxd5`. */
export function lineText(fen: string, moves: readonly string[], count: number): string {
  const ply = plyOf(fen);
  return sansOf(fen, moves, count)
    .map((san, index) => `${moveNumber(ply + index + 1, index === 0)} ${san}`.trim())
    .join(" ");
}

/** A move as the tree writes it, with castling as king takes rook. `null` if it is illegal. */
export function normalUci(fen: string, uci: string): string | null {
  const move = legalMove(positionOf(fen), uci);
  return move ? makeUci(move) : null;
}

/** A move with its number: `12… Nf6`. `fen` is the position after it. */
export const numbered = (san: string, fen: string): string =>
  `${moveNumber(plyOf(fen), true)} ${san}`;
