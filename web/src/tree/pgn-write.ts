/** Trees into PGN, with all that the tree holds. */
import { ChildNode, makePgn, Node, type PgnNodeData } from "chessops/pgn";
import { lineTo, withoutComments } from "./excerpt";
import { tagsOf } from "./tags";
import { nodeOf, ROOT, type NodeId, type Tree, type TreeNode } from "./tree";

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
