/** Trees into PGN, with all that the tree holds. */
import { INITIAL_FEN, parseFen } from "chessops/fen";
import { ChildNode, makePgn, Node, type PgnNodeData } from "chessops/pgn";
import { squareFile } from "chessops/util";
import { lineTo, withoutComments } from "./excerpt";
import { readFen } from "./fen";
import { nodeOf, ROOT, type NodeId, type Tree, type TreeNode } from "./tree";

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

const dataOf = ({ san, nags, comments, startingComments }: TreeNode): PgnNodeData => ({
  san: san ?? "", nags: [...nags], comments: [...comments], startingComments: [...startingComments],
});

/** The moves as the writer of chessops takes them. */
function movesOf(tree: Tree): Node<PgnNodeData> {
  const root = new Node<PgnNodeData>();
  const pending: [NodeId, Node<PgnNodeData>][] = [[ROOT, root]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [id, written] = next;
    for (const childId of nodeOf(tree, id).children) {
      const child = new ChildNode(dataOf(nodeOf(tree, childId)));
      written.children.push(child);
      pending.push([childId, child]);
    }
  }
  return root;
}

export function writePgn(tree: Tree): string {
  const comments = [...nodeOf(tree, ROOT).comments];
  return makePgn({ headers: tagsOf(tree), comments, moves: movesOf(tree) });
}

/** The moves up to a node as PGN, without comments. */
export function writeLine(tree: Tree, id: NodeId): string {
  const { nodes, nextId } = withoutComments(lineTo(tree, id));
  return writePgn({ nodes, nextId, headers: new Map() });
}
