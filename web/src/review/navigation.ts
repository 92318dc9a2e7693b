/** Steps from mistake to mistake. */
import type { Color } from "chessops/types";
import type { JudgementName } from "./protocol";
import { moverBefore } from "./mover";
import type { Mistake } from "./review-data";

export interface Filter {
  /** Mistakes of this player alone. */
  readonly color?: Color | undefined;
  readonly judgement?: JudgementName | undefined;
}

export const isOf = (mistake: Mistake, { color, judgement }: Filter): boolean =>
  (!color || moverBefore(mistake.fen) === color) && (!judgement || mistake.judgement === judgement);

/**
 * The mistake after a half move of the game, or before it with −1. After the last one comes the
 * first one again.
 */
export function nextMistake(
  mistakes: readonly Mistake[], ply: number, direction: 1 | -1, filter: Filter = {},
): Mistake | null {
  const own = mistakes.filter((mistake) => isOf(mistake, filter));
  const found = direction === 1
    ? own.find((mistake) => mistake.ply > ply)
    : own.findLast((mistake) => mistake.ply < ply);
  return found ?? own.at(direction === 1 ? 0 : -1) ?? null;
}
