/** The shown move for screen readers. */
import { createEffect, on } from "solid-js";
import { announce } from "../ui/toasts";
import { spokenMove } from "./notation";
import { glyphOf } from "./notes";
import type { TreeStore } from "./store";
import { variationOf } from "./tree";

/** Says the move whenever another one is shown. */
export function useAnnouncements(store: TreeStore): void {
  createEffect(on(() => store.current().id, () => {
    const node = store.current();
    const glyphs = node.nags.map((nag) => glyphOf(nag).name);
    const place = variationOf(store.tree(), node.id) ? ["variation"] : [];
    announce([spokenMove(node), ...glyphs, ...place].join(", "));
  }, { defer: true }));
}
