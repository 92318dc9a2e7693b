/** Parts of a tree, with the ids of the whole. */
import { nodeOf, pathTo, type NodeId, type Tree, type TreeNode } from "./tree";

/** The moves up to a node, without any variation. */
export function lineTo(tree: Tree, id: NodeId): Tree {
  const path = pathTo(tree, id);
  const nodes = path.map((node, index): [NodeId, TreeNode] => {
    const next = path[index + 1];
    return [node.id, { ...node, children: next ? [next.id] : [] }];
  });
  return { ...tree, nodes: new Map(nodes) };
}

/** The line through a node to its end, without variations before or after it. */
export function lineThrough(tree: Tree, id: NodeId): Tree {
  let last = nodeOf(tree, id);
  while (last.children[0] !== undefined) last = nodeOf(tree, last.children[0]);
  return lineTo(tree, last.id);
}

/** The tree without comments. Glyphs stay. */
export function withoutComments(tree: Tree): Tree {
  const nodes = [...tree.nodes].map(([id, node]): [NodeId, TreeNode] => [
    id, { ...node, comments: [], startingComments: [] },
  ]);
  return { ...tree, nodes: new Map(nodes) };
}
