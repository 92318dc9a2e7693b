/** The numbers of a Zobrist key: their squares, and what a move changed. */
import type { Color } from "chessops/types";
import type { KeyNumbers } from "./requests";
import type { ZobristNumber } from "./server";
import type { Square } from "./squares";

/** The first numbers of castling rights, en passant and Black to move. */
const WHITE_RIGHTS = 768;
const BLACK_RIGHTS = 776;
const EN_PASSANT = 784;
const BLACK_TO_MOVE = 792;

/** The squares that a number is about. `turn` is the side to move in its position. */
export function squaresOfNumber(number: number, turn: Color): Square[] {
  if (number < WHITE_RIGHTS) return [number % 64];
  if (number < BLACK_RIGHTS) return [number - WHITE_RIGHTS];
  if (number < EN_PASSANT) return [56 + number - BLACK_RIGHTS];
  if (number < BLACK_TO_MOVE) return [(turn === "white" ? 40 : 16) + number - EN_PASSANT];
  return [];
}

interface KeyChange {
  /** The numbers that the move took out of the key, and those that it put in. */
  readonly out: readonly ZobristNumber[];
  readonly in: readonly ZobristNumber[];
}

/** The numbers that only one of two keys has. */
export function keyChange(before: KeyNumbers, after: readonly ZobristNumber[]): KeyChange {
  const without = (all: readonly ZobristNumber[], others: readonly ZobristNumber[]) => {
    const known = new Set(others.map(({ number }) => number));
    return all.filter(({ number }) => !known.has(number));
  };
  return { out: without(before.numbers, after), in: without(after, before.numbers) };
}
