/** The history of undo and redo, bounded by the edits and the nodes that it keeps. */
import { batch, createSignal } from "solid-js";
import { patchBetween, patched, type Patch } from "./patch";
import type { State, TreeState } from "./state";

/** An edit of the tree, both ways. */
interface Edit {
  readonly undo: Patch;
  readonly redo: Patch;
}

/** More edits than anybody takes back. */
const MAX_EDITS = 500;

/**
 * The nodes of all patches together. A node takes about 500 bytes, so that they take 100 MB at most
 * and much less where an edit changes one move. A game of 15,000 moves can be replaced six times.
 */
const MAX_NODES = 200_000;

const nodesIn = ({ undo, redo }: Edit): number => undo.nodes.length + redo.nodes.length;

/** The last edits that keep to both limits. The very last one can always be taken back. */
function lastEdits(edits: readonly Edit[]): readonly Edit[] {
  let first = edits.length - 1;
  let nodes = first < 0 ? 0 : nodesIn(edits[first]!);
  while (first > 0 && edits.length - first < MAX_EDITS) {
    nodes += nodesIn(edits[first - 1]!);
    if (nodes > MAX_NODES) break;
    first -= 1;
  }
  return edits.slice(Math.max(0, first));
}

export function createHistory({ state, set }: TreeState) {
  const [past, setPast] = createSignal<readonly Edit[]>([]);
  const [future, setFuture] = createSignal<readonly Edit[]>([]);
  const apply = (patch: Patch) => set(patched(state().tree, patch));
  return {
    /** Shows another state. A change of the tree becomes an edit that can be taken back. */
    change: (after: State) => batch(() => {
      const before = state();
      if (after.tree !== before.tree) {
        const edit = { undo: patchBetween(after, before), redo: patchBetween(before, after) };
        setPast(lastEdits([...past(), edit]));
        setFuture([]);
      }
      set(after);
    }),
    canUndo: () => past().length > 0,
    canRedo: () => future().length > 0,
    /** Takes back the last edit, wherever it is in the tree, and shows where it was made. */
    undo: () => batch(() => {
      const last = past().at(-1);
      if (!last) return;
      setPast(past().slice(0, -1));
      setFuture([...future(), last]);
      apply(last.undo);
    }),
    redo: () => batch(() => {
      const next = future().at(-1);
      if (!next) return;
      setFuture(future().slice(0, -1));
      setPast([...past(), next]);
      apply(next.redo);
    }),
  };
}
