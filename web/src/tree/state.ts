/** The present tree and the node that is shown, with what follows from them. */
import { batch, createMemo, createSignal } from "solid-js";
import { nodeOf, type NodeId, type Tree, type TreeNode } from "./node";
import { pathTo, positionOf } from "./tree";

export interface State {
  readonly tree: Tree;
  readonly current: NodeId;
}

export function createTreeState(initial: State) {
  const [state, setState] = createSignal(initial);
  /** The child of each node that was shown last: stepping forward goes there. */
  const [lastShown, setLastShown] = createSignal<ReadonlyMap<NodeId, NodeId>>(new Map());

  const node = (id: NodeId): TreeNode => nodeOf(state().tree, id);
  const current = createMemo(() => node(state().current));
  const position = createMemo(() => positionOf(current().fen));
  const path = createMemo(() => pathTo(state().tree, state().current));
  /** The child of a node that a step forward shows. */
  const nextOf = ({ id, children }: TreeNode): NodeId | null => {
    const shown = lastShown().get(id);
    return shown !== undefined && children.includes(shown) ? shown : (children[0] ?? null);
  };
  const line = createMemo(() => {
    const nodes = [...path()];
    for (let id = nextOf(current()); id !== null; ) {
      const following = node(id);
      nodes.push(following);
      id = nextOf(following);
    }
    return nodes;
  });
  const set = (next: State) => batch(() => {
    const shown = new Map(lastShown());
    for (const { id, parent } of pathTo(next.tree, next.current)) {
      if (parent !== null) shown.set(parent, id);
    }
    setLastShown(shown);
    setState(next);
  });
  return {
    state,
    set,
    current,
    position,
    /** The nodes from the root to the shown one. */
    path,
    /** The line through the shown node: its path, continued to the end. */
    line,
    node,
    nextOf,
    show: (id: NodeId) => set({ ...state(), current: id }),
    /** Lets a step forward from a node show this child of it. */
    choose: (parent: NodeId, child: NodeId) =>
      setLastShown((shown) => new Map(shown).set(parent, child)),
    /** Forgets which children were shown last. */
    forgetShown: () => setLastShown(new Map()),
  };
}

export type TreeState = ReturnType<typeof createTreeState>;
