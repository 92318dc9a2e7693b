/**
 * The search of the position before a move that was played too fast for one. A judgement needs
 * both positions, and a tab has one search: the engine goes back for a moment.
 */
import { createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import { analysedPosition, type AnalysedPosition } from "../engine/analysed-position";
import type { Engine } from "../engine/store";
import type { TreeStore } from "../tree/store";
import { positionOf, type TreeNode } from "../tree/tree";

/** The depth that the position before a move needs. */
const NEEDED_DEPTH = 10;

/** The depth of the shown position from which its own search can wait. */
const SHOWN_DEPTH = 12;

/** A search of a position that ends early never gets so deep. It is tried once. */
const MAX_MS = 2_000;

export function createDetour(tree: TreeStore, engine: Engine) {
  const [tried, setTried] = createSignal<ReadonlySet<string>>(new Set());
  const depthOf = ({ fen }: TreeNode) => engine.evaluation(fen)?.depth ?? 0;

  const wanted = createMemo((): string | null => {
    const node = tree.current();
    if (node.parent === null || !engine.state.isEnabled || engine.state.isHidden) return null;
    const parent = tree.node(node.parent);
    if (depthOf(parent) >= NEEDED_DEPTH || tried().has(parent.fen)) return null;
    const hasEnded = engine.state.ended !== null || positionOf(node.fen).isEnd();
    const isShownDone = hasEnded || depthOf(node) >= SHOWN_DEPTH;
    return isShownDone ? parent.fen : null;
  });
  createEffect(() => {
    const fen = wanted();
    if (fen === null) return;
    const timer = setTimeout(() => setTried((before) => new Set(before).add(fen)), MAX_MS);
    onCleanup(() => clearTimeout(timer));
  });

  return createMemo((): AnalysedPosition | null => {
    return wanted() === null ? null : analysedPosition(tree.path().slice(0, -1));
  });
}
