/** Drawings of views on the board: arrows, marks and numbers. Each view has its own layer. */
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { Key } from "@lichess-org/chessground/types";
import { createMemo, createSignal } from "solid-js";

/** The views that draw, from the lowest layer to the highest. */
const LAYERS = [
  "inspect", "values", "explore", "lines", "bestMove", "threat", "review", "pointed",
] as const;
type Layer = (typeof LAYERS)[number];

export interface Overlay {
  readonly shapes: readonly DrawShape[];
  /** Classes of squares, for style sheets: `marked`, `mark-a`. */
  readonly squares: ReadonlyMap<Key, string>;
}

const sameSquares = (a: Overlay["squares"], b: Overlay["squares"]) =>
  a.size === b.size && [...a].every(([square, name]) => b.get(square) === name);

export function createOverlays() {
  const [layers, setLayers] = createSignal<ReadonlyMap<Layer, Overlay>>(new Map());
  const shown = createMemo(() => LAYERS.flatMap((layer) => layers().get(layer) ?? []));
  const squares = createMemo((): Overlay["squares"] => {
    const classes = new Map<Key, string>();
    for (const overlay of shown()) {
      for (const [square, name] of overlay.squares) {
        const below = classes.get(square);
        classes.set(square, below ? `${below} ${name}` : name);
      }
    }
    return classes;
  }, undefined, { equals: sameSquares });
  return {
    shapes: createMemo(() => shown().flatMap(({ shapes }) => shapes)),
    squares,
    /** Draws a layer anew, or clears it with `null`. */
    set(layer: Layer, overlay: Overlay | null) {
      // Not `layers()`, which would run the calling effect again.
      setLayers((before) => {
        if (overlay === null && !before.has(layer)) return before;
        const after = new Map(before);
        if (overlay) after.set(layer, overlay);
        else after.delete(layer);
        return after;
      });
    },
  };
}

export type Overlays = ReturnType<typeof createOverlays>;
