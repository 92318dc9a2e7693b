/** The squares of a move, as chessground names them. */
import type { Key } from "@lichess-org/chessground/types";
import { chessgroundMove } from "chessops/compat";
import { parseUci } from "chessops/util";

export function squaresOf(uci: string | null): Key[] {
  const move = uci === null ? undefined : parseUci(uci);
  return move ? (chessgroundMove(move) as Key[]) : [];
}
