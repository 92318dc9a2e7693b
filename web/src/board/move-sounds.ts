/** A sound whenever another move is shown, if the user wants sounds. */
import { createEffect, on, untrack } from "solid-js";
import type { TreeStore } from "../tree/store";
import type { Settings } from "../ui/settings";

export function useMoveSounds(tree: TreeStore, settings: Settings): void {
  createEffect(on(tree.current, ({ fen, san }, before) => {
    // Not for an edit that leaves the position as it is.
    if (settings.sounds === "off" || san === null || fen === before?.fen) return;
    const isEnd = untrack(tree.position).isEnd();
    void import("../ui/sounds").then(({ playSound, soundOf }) => playSound(soundOf(san, isEnd)));
  }, { defer: true }));
}
