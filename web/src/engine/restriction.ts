/** The moves that a search is restricted to: some of the legal ones, or all but some. */
import { normalizeMove, type Chess } from "chessops/chess";
import { makeUci, parseUci } from "chessops/util";
import { legalMoves } from "../tree/legal-moves";

export interface ChosenMove {
  readonly uci: string;
  readonly san: string;
}

export interface Restriction {
  readonly kind: "only" | "without";
  readonly moves: readonly ChosenMove[];
  /** The moves that are left to search. */
  readonly searchmoves: readonly string[];
}

function normal(position: Chess, uci: string): string {
  const move = parseUci(uci);
  return move ? makeUci(normalizeMove(position, move)) : uci;
}

/** A restriction to or without these moves, or `null` if no legal move would be left. */
function restrictionOf(
  position: Chess, kind: Restriction["kind"], moves: readonly ChosenMove[],
): Restriction | null {
  const chosen = moves.map(({ uci }) => normal(position, uci));
  const searchmoves = kind === "only"
    ? chosen
    : legalMoves(position).map(makeUci).filter((uci) => !chosen.includes(uci));
  return searchmoves.length > 0 ? { kind, moves, searchmoves } : null;
}

/** A restriction with one more move, or `null` if no legal move would be left. */
export function restrict(
  position: Chess, before: Restriction | null, kind: Restriction["kind"], move: ChosenMove,
): Restriction | null {
  const isContinued = before?.kind === kind && kind === "without";
  return restrictionOf(position, kind, isContinued ? [...before.moves, move] : [move]);
}

/** A restriction without one of its moves, or `null` if it has no other. */
export function unrestrict(
  position: Chess, { kind, moves }: Restriction, { uci }: ChosenMove,
): Restriction | null {
  const others = moves.filter((move) => move.uci !== uci);
  return others.length > 0 ? restrictionOf(position, kind, others) : null;
}
