/** The tree of the page: one reactive store, changed only by the functions here. */
import { createMemo, createSignal } from "solid-js";
import { createStore, produce } from "solid-js/store";
import * as tree from "./tree";
import type { NodeId, Tree, TreeNode } from "./tree";

/** An added move, for undo and redo. */
interface Edit {
  readonly parent: NodeId;
  readonly id: NodeId;
  readonly uci: string;
}

export function createTreeStore() {
  const [state, setState] = createStore<Tree>(tree.newTree());
  const [edits, setEdits] = createSignal<readonly Edit[]>([]);
  const [undone, setUndone] = createSignal<readonly Omit<Edit, "id">[]>([]);

  const change = <T>(edit: (draft: Tree) => T): T => {
    let result!: T;
    setState(produce((draft) => { result = edit(draft); }));
    return result;
  };

  const current = createMemo(() => tree.nodeOf(state, state.current));
  const line = createMemo(() => tree.shownLine(state));
  const position = createMemo(() => tree.positionOf(current().fen));

  const add = (uci: string): boolean => {
    const parent = state.current;
    const played = change((draft) => tree.play(draft, uci));
    if (played?.isNew) setEdits([...edits(), { parent, id: played.id, uci }]);
    return played !== null;
  };

  return {
    current,
    line,
    position,
    node: (id: NodeId): TreeNode => tree.nodeOf(state, id),
    path: (): TreeNode[] => tree.pathTo(state, state.current),
    /** Plays a move. `false` if it is illegal. */
    play(uci: string): boolean {
      const isPlayed = add(uci);
      if (isPlayed) setUndone([]);
      return isPlayed;
    },
    show: (id: NodeId) => change((draft) => tree.show(draft, id)),
    back: () => change((draft) => {
      const { parent } = tree.nodeOf(draft, draft.current);
      if (parent !== null) tree.show(draft, parent);
    }),
    forward: () => change((draft) => {
      const next = tree.nextOf(tree.nodeOf(draft, draft.current));
      if (next !== null) tree.show(draft, next);
    }),
    start: () => change((draft) => tree.show(draft, tree.ROOT)),
    end: () => change((draft) => {
      const last = tree.shownLine(draft).at(-1);
      if (last) tree.show(draft, last.id);
    }),
    canUndo: () => edits().length > 0,
    canRedo: () => undone().length > 0,
    /** Takes back the move that was added last, wherever it is in the tree. */
    undo() {
      const last = edits().at(-1);
      if (!last) return;
      setEdits(edits().slice(0, -1));
      setUndone([...undone(), last]);
      change((draft) => {
        tree.remove(draft, last.id);
        tree.show(draft, last.parent);
      });
    },
    redo() {
      const next = undone().at(-1);
      if (!next) return;
      setUndone(undone().slice(0, -1));
      const parent = next.parent;
      change((draft) => tree.show(draft, parent));
      add(next.uci);
    },
  };
}

export type TreeStore = ReturnType<typeof createTreeStore>;
