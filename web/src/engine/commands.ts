/** The commands of the page and its user to the engine. */
import { batch, untrack } from "solid-js";
import type { SetStoreFunction } from "solid-js/store";
import { positionOf } from "../tree/tree";
import { toast } from "../ui/toasts";
import { isSamePosition, type AnalysedPosition } from "./analysed-position";
import type { EngineState } from "./engine-state";
import { keepPreferences, type LimitName } from "./preferences";
import type { ChosenMove, Restriction } from "./restriction";
import type { SearchResults } from "./search-results";
import type { SearchRunner } from "./search-runner";

interface Parts {
  readonly state: EngineState;
  readonly setState: SetStoreFunction<EngineState>;
  readonly runner: SearchRunner;
  readonly results: SearchResults;
}

/** Loads what the first paint does not need. Without the server that may fail. */
const load = <Module>(module: Promise<Module>): Promise<Module | undefined> =>
  module.catch(() => {
    toast("The server cannot be reached, so this part of the page cannot be loaded.", "error");
    return undefined;
  });

/** The commands about the shown position and one beside it. */
export const positionCommands = ({ state, setState, runner, results }: Parts) => ({
  /** Analyses this position from now on, or nothing. */
  show: (position: AnalysedPosition | null) => untrack(() => {
    if (isSamePosition(position, state.position)) return;
    runner.step();
    batch(() => {
      results.dropRestricted();
      setState({
        position, isWithoutMoves: false, restriction: null, threat: null, aside: null,
        isDeeper: false, drawReason: null,
      });
    });
    runner.restart();
  }),
  /** Searches another position for a moment, before the shown one. `null`: not any more. */
  lookAside: (aside: AnalysedPosition | null) => untrack(() => {
    if (isSamePosition(aside, state.aside)) return;
    setState("aside", aside);
    if (aside || runner.isFor("aside")) runner.startSoon();
  }),
  /** Shows what the opponent threatens in the shown position, or nothing more of it. */
  async toggleThreat(fen: string) {
    const { position } = state;
    if (state.threat) {
      setState("threat", null);
      runner.start();
      return;
    }
    const threat = (await load(import("./threat")))?.threatFen(fen);
    if (!threat || state.position !== position) return;
    if ("reason" in threat) {
      toast(threat.reason);
      return;
    }
    // The engine is silent beside a practice.
    if (!position) return;
    setState({ threat: { fen: threat.fen, isDone: false }, isHidden: false });
    runner.startSoon();
  },
});

/** The commands that change how the shown position is analysed. */
export function analysisCommands({ state, setState, runner, results }: Parts) {
  const change = (changes: Partial<EngineState>) => {
    setState(changes);
    runner.restart();
  };
  const setRestriction = (restriction: Restriction | null) => batch(() => {
    results.dropRestricted();
    change({ restriction, isDeeper: false, isEnabled: true });
  });
  return {
    /** Starts the engine, also where it is hidden, or pauses it. */
    toggle: () => change({ isEnabled: state.isHidden || !state.isEnabled, isHidden: false }),
    toggleHidden: () => change({ isHidden: !state.isHidden }),
    /** Goes on beyond the limit of the search that has ended. */
    deeper: () => change({ isDeeper: true, isEnabled: true }),
    setMultipv(multipv: number) {
      change({ multipv });
      keepPreferences({ multipv });
    },
    setLimit(limit: LimitName) {
      change({ limit, isDeeper: false });
      keepPreferences({ limit });
    },
    /** Searches only this move, or also without this move, until the position changes. */
    async restrict(kind: Restriction["kind"], move: ChosenMove) {
      const { position, restriction } = state;
      const code = await load(import("./restriction"));
      if (!code || !position || state.position !== position) return;
      const next = code.restrict(positionOf(position.key), restriction, kind, move);
      if (next) setRestriction(next);
      else toast("At least one move must be left to search.");
    },
    /** Takes back the restriction by one move. */
    async unrestrict(move: ChosenMove) {
      const { position, restriction } = state;
      const code = await load(import("./restriction"));
      if (!code || !position || !restriction || state.position !== position) return;
      setRestriction(code.unrestrict(positionOf(position.key), restriction, move));
    },
  };
}
