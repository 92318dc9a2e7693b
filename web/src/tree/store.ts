/** The tree of the page: its present state, steps through it, edits, and what undo goes back to. */
import { createEdits } from "./edits";
import { createHistory } from "./history";
import { createNavigation } from "./navigation";
import { createTreeState } from "./state";
import { newTree, ROOT, type NodeId, type Tree } from "./tree";

export function createTreeStore(initial: Tree = newTree(), shown: NodeId = ROOT) {
  const state = createTreeState({ tree: initial, current: shown });
  const { change, ...history } = createHistory(state);
  const { current, position, path, line, node } = state;
  return {
    tree: () => state.state().tree,
    current, position, path, line, node,
    ...createNavigation(state),
    ...createEdits(state, change),
    ...history,
  };
}

export type TreeStore = ReturnType<typeof createTreeStore>;
