/**
 * The difference between two states of the tree. Two states share most of their nodes, so that a
 * patch has only those that an edit has made, changed or removed.
 */
import type { NodeId, Tree, TreeNode } from "./node";
import type { State } from "./state";

export interface Patch {
  /** The nodes that differ, as they become. `null` stands for one that is removed. */
  readonly nodes: readonly (readonly [NodeId, TreeNode | null])[];
  readonly rest: Omit<Tree, "nodes">;
  readonly current: NodeId;
}

/** The patch that makes `to` of `from`. */
export function patchBetween(from: State, to: State): Patch {
  const { nodes: before } = from.tree;
  const { nodes: after, ...rest } = to.tree;
  const nodes: [NodeId, TreeNode | null][] = [];
  for (const [id, node] of after) if (before.get(id) !== node) nodes.push([id, node]);
  for (const id of before.keys()) if (!after.has(id)) nodes.push([id, null]);
  return { nodes, rest, current: to.current };
}

/** The state that a patch makes of a tree. */
export function patched(tree: Tree, { nodes: changes, rest, current }: Patch): State {
  const nodes = new Map(tree.nodes);
  for (const [id, node] of changes) {
    if (node) nodes.set(id, node);
    else nodes.delete(id);
  }
  return { tree: { ...rest, nodes }, current };
}
