/** The edits of the tree. Undo takes each of them back. */
import { batch } from "solid-js";
import type { State, TreeState } from "./state";
import * as tree from "./tree";
import type { Annotation, NodeId, Tree } from "./tree";

export function createEdits(
  { state, path, node, forgetShown }: TreeState,
  change: (after: State) => void,
) {
  /** Replaces the tree and shows a node of the new one. */
  const replace = (edited: Tree, shown: NodeId = state().current) =>
    change({ tree: edited, current: edited.nodes.has(shown) ? shown : tree.ROOT });
  const edit = (edited: (before: Tree) => Tree) => replace(edited(state().tree));
  return {
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
    /** Replaces the whole tree: another game or position. Undo brings the old one back. */
    load: (loaded: Tree, shown: NodeId = tree.ROOT) => batch(() => {
      forgetShown();
      replace(loaded, shown);
    }),
    remove(id: NodeId) {
      const { parent } = node(id);
      const isShown = path().some((shown) => shown.id === id);
      replace(tree.remove(state().tree, id), isShown ? (parent ?? tree.ROOT) : state().current);
    },
    /** Promotes the variation that a node is in by one place. */
    promote: (id: NodeId) => edit((before) => tree.promote(before, id)),
    /** Demotes the line that a node is in by one place. */
    demote: (id: NodeId) => edit((before) => tree.demote(before, id)),
    makeMainLine: (id: NodeId) => edit((before) => tree.makeMainLine(before, id)),
    annotate: (id: NodeId, annotation: Annotation) =>
      edit((before) => tree.annotate(before, id, annotation)),
    setHeaders: (headers: ReadonlyMap<string, string>) =>
      edit((before) => tree.withHeaders(before, headers)),
    /** Any other change of the tree, as one edit. */
    edit,
  };
}
