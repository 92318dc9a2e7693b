/** The engine on the page: the shown position, arrows, keys, and what is read aloud. */
import { createEffect, createMemo, on, onCleanup } from "solid-js";
import type { Overlays } from "../board/overlays";
import type { TreeStore } from "../tree/store";
import type { SettingsStore } from "../ui/settings";
import { useShortcuts } from "../ui/shortcuts";
import { announce } from "../ui/toasts";
import { analysedPosition } from "./analysed-position";
import { bestMoveArrow, lineArrows, threatArrow } from "./arrows";
import { spokenEvaluation } from "./spoken";
import type { Engine } from "./store";

interface Page {
  readonly engine: Engine;
  readonly tree: TreeStore;
  readonly overlays: Overlays;
  readonly settings: SettingsStore;
  /** The result, if the game is over in the shown position. */
  outcome(): string | null;
  /** Whether another view needs the engine to be silent: it neither searches nor shows anything. */
  isSilent(): boolean;
}

/** An evaluation is read aloud after a position was shown for this time, once. */
const READ_AFTER_MS = 1_500;

export function useEngine({ engine, tree, overlays, settings, outcome, isSilent }: Page): void {
  const { state } = engine;
  createEffect(() => {
    const isSearched = outcome() === null && !isSilent();
    engine.show(isSearched ? analysedPosition(tree.path()) : null);
  });

  const isShown = () => !state.isHidden && !isSilent() && outcome() === null;
  const info = createMemo(() => (isShown() ? engine.shown() : undefined));
  const isOn = (name: "bestMoveArrow" | "lineArrows") =>
    settings.settings[name] === "on" && state.isEnabled;
  createEffect(() => overlays.set("lines", isOn("lineArrows") ? lineArrows(info()) : null));
  createEffect(() => {
    const isDrawn = isOn("bestMoveArrow") && !isOn("lineArrows");
    overlays.set("bestMove", isDrawn ? bestMoveArrow(info()) : null);
  });
  createEffect(() => {
    const { threat } = state;
    overlays.set(
      "threat", threat && isShown() ? threatArrow(engine.evaluation(threat.fen)) : null,
    );
  });

  const spoken = () => {
    const shown = info();
    return shown && spokenEvaluation(shown, tree.position().turn === "white");
  };
  createEffect(on(() => tree.current().fen, () => {
    let timer = setTimeout(function read() {
      const text = state.isEnabled ? spoken() : undefined;
      if (text) announce(text);
      else timer = setTimeout(read, READ_AFTER_MS / 3);
    }, READ_AFTER_MS);
    onCleanup(() => clearTimeout(timer));
  }));

  const playBest = () => {
    const best = info()?.lines[0]?.pv[0];
    if (best) tree.play(best);
  };
  const toggleLineArrows = () =>
    settings.set("lineArrows", settings.settings.lineArrows === "on" ? "off" : "on");
  const toggleThreat = () => void engine.toggleThreat(tree.current().fen);
  const read = () => announce(outcome() ?? spoken() ?? "No evaluation yet.");
  useShortcuts([
    { keys: ["l"], label: "Start or pause the engine", group: "Engine", run: engine.toggle },
    { keys: [" "], label: "Play the best move", group: "Engine", run: playBest },
    { keys: ["x"], label: "Show the threat", group: "Engine", run: toggleThreat },
    { keys: ["z"], label: "Hide or show the engine", group: "Engine", run: engine.toggleHidden },
    { keys: ["a"], label: "Arrows of all lines", group: "Engine", run: toggleLineArrows },
    { keys: ["s"], label: "Read the evaluation aloud", group: "Engine", run: read },
  ]);
}
