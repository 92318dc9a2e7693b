/** The tags of a game in PGN. */
import { INITIAL_FEN, parseFen } from "chessops/fen";
import { squareFile } from "chessops/util";
import { readFen } from "./fen";
import { nodeOf, ROOT, type Tree } from "./tree";

/** Whether castling in this position needs the rules of Chess960. */
function needsChess960(fen: string): boolean {
  const { board, castlingRights } = parseFen(fen).unwrap();
  return [...castlingRights].some((rook) => {
    const color = board.getColor(rook);
    const king = color && board.kingOf(color);
    return king === undefined || squareFile(king) !== 4 || ![0, 7].includes(squareFile(rook));
  });
}

/** The tags of a tree, completed with those that its start position needs. */
export function tagsOf(tree: Tree): Map<string, string> {
  const tags = new Map(tree.headers);
  const { fen } = nodeOf(tree, ROOT);
  const written = tags.get("FEN");
  const read = written === undefined ? { fen: INITIAL_FEN } : readFen(written);
  const isWritten = "fen" in read && read.fen === fen;
  if (!isWritten && fen === INITIAL_FEN) {
    tags.delete("FEN");
    tags.delete("SetUp");
  } else if (!isWritten) tags.set("SetUp", "1").set("FEN", fen);
  if (needsChess960(fen) && !tags.has("Variant")) tags.set("Variant", "Chess960");
  return tags;
}
