/** The steps through the tree: along the line, to its ends, and into and out of variations. */
import { ROOT, type NodeId } from "./node";
import type { TreeState } from "./state";
import { variationOf } from "./tree";

export function createNavigation({ state, current, line, node, nextOf, show, choose }: TreeState) {
  return {
    show,
    back() {
      const { parent } = current();
      if (parent !== null) show(parent);
    },
    forward() {
      const id = nextOf(current());
      if (id !== null) show(id);
    },
    start: () => show(ROOT),
    end: () => show(line().at(-1)?.id ?? ROOT),
    /** The moves to choose from at a fork. Empty where there is only one. */
    choices: () => {
      const { children } = current();
      return children.length > 1 ? children.map(node) : [];
    },
    /** The move that a step forward shows. */
    next: () => nextOf(current()),
    /** Lets a step forward show this move. */
    choose: (id: NodeId) => choose(node(id).parent ?? ROOT, id),
    /** Shows the chosen variation of a fork, or the first one if the main move is chosen. */
    enterVariation() {
      const { children } = current();
      const id = nextOf(current());
      const entered = id === children[0] ? children[1] : id;
      if (entered !== undefined && entered !== null) show(entered);
    },
    /** Shows the position before the variation that is shown. */
    leaveVariation() {
      const first = variationOf(state().tree, state().current);
      if (first) show(first.parent ?? ROOT);
    },
  };
}
