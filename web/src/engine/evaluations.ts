/**
 * The evaluations of all moves, by position and number of lines. The deepest ones of the latest
 * positions are kept. Views that read one are told when it changes.
 */
import { createSignal, getListener, onCleanup, type Signal } from "solid-js";
import type { Info } from "./protocol";

const MAX_POSITIONS = 2_000;

/** Reads of a position by views, and the signal that tells them of a change. */
interface Watch {
  readonly signal: Signal<undefined>;
  readers: number;
}

export function createEvaluations(maxPositions = MAX_POSITIONS) {
  /** The position that changed last comes last. */
  const positions = new Map<string, Map<number, Info>>();
  const watches = new Map<string, Watch>();

  function track(fen: string) {
    if (!getListener()) return;
    let watch = watches.get(fen);
    if (!watch) {
      watch = { signal: createSignal(undefined, { equals: false }), readers: 0 };
      watches.set(fen, watch);
    }
    const watched = watch;
    watched.readers += 1;
    onCleanup(() => {
      watched.readers -= 1;
      if (watched.readers === 0 && watches.get(fen) === watched) watches.delete(fen);
    });
    watched.signal[0]();
  }

  /** The deepest evaluation with at least this many lines. */
  function deepest(fen: string, multipv: number): Info | undefined {
    let found: Info | undefined;
    for (const [lines, info] of positions.get(fen) ?? []) {
      if (lines >= multipv && (!found || info.depth > found.depth)) found = info;
    }
    return found;
  }

  return {
    /** Keeps an evaluation that was requested with `multipv` lines, unless one is deeper. */
    keep(fen: string, multipv: number, info: Info) {
      const known = positions.get(fen);
      const before = known?.get(multipv);
      if (info.lines.length === 0 || (before && before.depth > info.depth)) return;
      positions.delete(fen);
      positions.set(fen, (known ?? new Map<number, Info>()).set(multipv, info));
      if (positions.size > maxPositions) {
        const [oldest] = positions.keys();
        if (oldest !== undefined) positions.delete(oldest);
      }
      watches.get(fen)?.signal[1](undefined);
    },
    /** The deepest evaluation with at least this many lines. */
    withLines(fen: string, multipv: number): Info | undefined {
      track(fen);
      return deepest(fen, multipv);
    },
    size: () => positions.size,
  };
}
