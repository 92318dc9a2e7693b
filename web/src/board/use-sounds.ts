/** A sound for each shown move, if the user wants sounds. */
import { createEffect, on, untrack } from "solid-js";
import type { TreeStore } from "../tree/store";
import type { Settings } from "../ui/settings";

export function useSounds(tree: TreeStore, settings: Settings, isOver: () => boolean): void {
  createEffect(on(tree.current, ({ fen, san }, before) => {
    // Not for an edit that leaves the position as it is.
    if (settings.sounds === "off" || san === null || fen === before?.fen) return;
    const isEnd = untrack(isOver);
    import("../ui/sounds").then(
      ({ playSound, soundOf }) => playSound(soundOf(san, isEnd)),
      // The next move tries again.
      () => undefined,
    );
  }, { defer: true }));
}
