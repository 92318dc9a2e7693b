/** Results of searches: evaluations of whole positions, and one under a restriction. */
import { createMemo, createSignal, untrack } from "solid-js";
import type { EngineState } from "./engine-state";
import { createEvaluations } from "./evaluations";
import type { Info } from "./protocol";
import { lineCount, type SearchSubject } from "./search";

export function createSearchResults(state: EngineState) {
  const evaluations = createEvaluations();
  /** The evaluation under the present restriction. */
  const [restricted, setRestricted] = createSignal<Info>();

  return {
    keep({ key, multipv, restriction }: SearchSubject, info: Info) {
      if (!restriction) {
        evaluations.keep(key, multipv, info);
        return;
      }
      const isWanted = restriction === untrack(() => state.restriction);
      if (isWanted && info.depth >= (untrack(restricted)?.depth ?? 0)) setRestricted(info);
    },
    /** Forgets the evaluation under a restriction that is over. */
    dropRestricted: () => setRestricted(undefined),
    /** The deepest known evaluation of a position with all its moves, from White's view. */
    evaluation: (fen: string): Info | undefined => evaluations.withLines(fen, 1),
    /** The evaluation with the chosen number of lines and the chosen moves, for the panel. */
    shown: createMemo((): Info | undefined => {
      const { position, restriction } = state;
      if (!position) return undefined;
      return restriction ? restricted() : evaluations.withLines(position.key, lineCount(state));
    }),
  };
}

export type SearchResults = ReturnType<typeof createSearchResults>;
