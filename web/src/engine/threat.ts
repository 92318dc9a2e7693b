/** The threat of the opponent: the position after a null move. */
import { Chess } from "chessops/chess";
import { makeFen, parseFen } from "chessops/fen";
import { opposite } from "chessops/util";

/** The position in which the side to move has passed, or a sentence why it cannot. */
export function threatFen(fen: string): { readonly fen: string } | { readonly reason: string } {
  const setup = parseFen(fen).unwrap();
  const position = Chess.fromSetup(setup).unwrap();
  if (position.isEnd()) return { reason: "The game is over, so there is no threat." };
  if (position.isCheck()) {
    return { reason: "The side to move is in check. It has to answer this first." };
  }
  const passed = {
    ...setup, turn: opposite(setup.turn), epSquare: undefined, halfmoves: 0,
    fullmoves: setup.fullmoves + (setup.turn === "black" ? 1 : 0),
  };
  const hasMove = Chess.fromSetup(passed).unwrap(
    (after) => !after.isEnd(),
    () => false,
  );
  return hasMove ? { fen: makeFen(passed) } : { reason: "The opponent has no move to threaten." };
}
