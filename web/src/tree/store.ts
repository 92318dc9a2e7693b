/** The tree of the page: its present state, the node that is shown, and what undo goes back to. */
import { batch, createMemo, createSignal } from "solid-js";
import * as tree from "./tree";
import type { Annotation, NodeId, Tree, TreeNode } from "./tree";

interface State {
  readonly tree: Tree;
  readonly current: NodeId;
}

/** A change of the tree, with the nodes that were shown before and after it. */
interface Edit {
  readonly before: State;
  readonly after: State;
}

/** More edits than anybody takes back. States share their nodes, so each costs little. */
const MAX_UNDO = 500;

export function createTreeStore(initial: Tree = tree.newTree(), shown: NodeId = tree.ROOT) {
  const [state, setState] = createSignal<State>({ tree: initial, current: shown });
  const [past, setPast] = createSignal<readonly Edit[]>([]);
  const [future, setFuture] = createSignal<readonly Edit[]>([]);
  /** The child of each node that was shown last: stepping forward goes there. */
  const [lastShown, setLastShown] = createSignal<ReadonlyMap<NodeId, NodeId>>(new Map());

  const node = (id: NodeId): TreeNode => tree.nodeOf(state().tree, id);
  const current = createMemo(() => node(state().current));
  const position = createMemo(() => tree.positionOf(current().fen));
  const path = createMemo(() => tree.pathTo(state().tree, state().current));

  /** The child that a step forward shows. */
  const next = ({ id, children }: TreeNode): NodeId | null => {
    const shown = lastShown().get(id);
    return shown !== undefined && children.includes(shown) ? shown : (children[0] ?? null);
  };

  /** The line through the shown node: its path, continued to the end. */
  const line = createMemo(() => {
    const nodes = [...path()];
    for (let id = next(current()); id !== null; ) {
      const following = node(id);
      nodes.push(following);
      id = next(following);
    }
    return nodes;
  });

  const set = (next: State) => batch(() => {
    const shown = new Map(lastShown());
    for (const { id, parent } of tree.pathTo(next.tree, next.current)) {
      if (parent !== null) shown.set(parent, id);
    }
    setLastShown(shown);
    setState(next);
  });
  const show = (id: NodeId) => set({ ...state(), current: id });

  /** Replaces the tree, so that undo can take it back, and shows a node of the new one. */
  const replace = (edited: Tree, shown: NodeId = state().current) => batch(() => {
    const before = state();
    const after = { tree: edited, current: edited.nodes.has(shown) ? shown : tree.ROOT };
    if (edited !== before.tree) {
      setPast([...past(), { before, after }].slice(-MAX_UNDO));
      setFuture([]);
    }
    set(after);
  });

  return {
    tree: () => state().tree,
    current,
    position,
    /** The nodes from the root to the shown one. */
    path,
    line,
    node,
    show,
    /** Plays a move after the shown position. `false` if it is illegal. */
    play(uci: string): boolean {
      const played = tree.play(state().tree, state().current, uci);
      if (played) replace(played.tree, played.id);
      return played !== null;
    },
    /** Plays moves after the shown position as one edit, up to the first illegal one. */
    playLine(moves: readonly string[]) {
      const played = tree.playLine(state().tree, state().current, moves);
      replace(played.tree, played.id);
    },
    /** Adds moves after a node as one edit, up to the first illegal one, without showing them. */
    addLine: (at: NodeId, moves: readonly string[]) =>
      replace(tree.playLine(state().tree, at, moves).tree),
    /** Replaces the whole tree: another game or position. Undo brings the old one back. */
    load(loaded: Tree, shown: NodeId = tree.ROOT) {
      batch(() => {
        setLastShown(new Map());
        replace(loaded, shown);
      });
    },
    remove(id: NodeId) {
      const { parent } = node(id);
      const isShown = path().some((shown) => shown.id === id);
      replace(tree.remove(state().tree, id), isShown ? (parent ?? tree.ROOT) : state().current);
    },
    /** Any other change of the tree, as one edit. */
    edit: (change: (before: Tree) => Tree) => replace(change(state().tree)),
    /** Promotes the variation that a node is in by one place. */
    promote: (id: NodeId) => replace(tree.promote(state().tree, id)),
    /** Demotes the line that a node is in by one place. */
    demote: (id: NodeId) => replace(tree.demote(state().tree, id)),
    makeMainLine: (id: NodeId) => replace(tree.makeMainLine(state().tree, id)),
    annotate: (id: NodeId, annotation: Annotation) =>
      replace(tree.annotate(state().tree, id, annotation)),
    setHeaders: (headers: ReadonlyMap<string, string>) =>
      replace(tree.withHeaders(state().tree, headers)),
    back() {
      const { parent } = current();
      if (parent !== null) show(parent);
    },
    forward() {
      const id = next(current());
      if (id !== null) show(id);
    },
    /** The moves to choose from at a fork. Empty where there is only one. */
    choices: () => {
      const { children } = current();
      return children.length > 1 ? children.map(node) : [];
    },
    /** The move that a step forward shows. */
    next: () => next(current()),
    /** Lets a step forward show this move. */
    choose: (id: NodeId) =>
      setLastShown((shown) => new Map(shown).set(node(id).parent ?? tree.ROOT, id)),
    /** Shows the chosen variation of a fork, or the first one if the main move is chosen. */
    enterVariation() {
      const { children } = current();
      const id = next(current());
      const entered = id === children[0] ? children[1] : id;
      if (entered !== undefined && entered !== null) show(entered);
    },
    /** Shows the position before the variation that is shown. */
    leaveVariation() {
      const first = tree.variationOf(state().tree, state().current);
      if (first) show(first.parent ?? tree.ROOT);
    },
    start: () => show(tree.ROOT),
    end: () => show(line().at(-1)?.id ?? tree.ROOT),
    canUndo: () => past().length > 0,
    canRedo: () => future().length > 0,
    /** Takes back the last edit, wherever it is in the tree, and shows where it was made. */
    undo() {
      const last = past().at(-1);
      if (!last) return;
      batch(() => {
        setPast(past().slice(0, -1));
        setFuture([...future(), last]);
        set(last.before);
      });
    },
    redo() {
      const next = future().at(-1);
      if (!next) return;
      batch(() => {
        setFuture(future().slice(0, -1));
        setPast([...past(), next]);
        set(next.after);
      });
    },
  };
}

export type TreeStore = ReturnType<typeof createTreeStore>;
