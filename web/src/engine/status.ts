/** The state of the connection and the search as a sentence, and the wait for the next try. */
import { createEffect, createSignal, onCleanup } from "solid-js";
import type { EngineState } from "./engine-state";
import type { Engine } from "./store";

export const UNREACHABLE = "The server cannot be reached. Trying again…";

export function statusText(state: EngineState): string {
  const { connection, refusal, queued, isSearching, isEnabled, isHidden } = state;
  if (refusal) return refusal.text;
  if (connection === "connecting") return "Connecting to the server…";
  if (connection === "waiting") return UNREACHABLE;
  if (connection === "idle") return "Disconnected while idle. The next move connects again.";
  if (queued !== null) return `Connected. Waiting for a worker, place ${queued}.`;
  if (isSearching) return "Connected. The engine is searching.";
  return isEnabled && !isHidden ? "Connected." : "Connected. The engine is paused.";
}

/** The whole seconds until the next try, counting down, or `null` if none is due. */
export function createCountdown(engine: Engine): () => number | null {
  const [seconds, setSeconds] = createSignal<number | null>(null);
  createEffect(() => {
    const until = engine.state.refusal?.until ?? null;
    const update = () => {
      const left = until === null ? 0 : Math.ceil((until - Date.now()) / 1_000);
      setSeconds(left > 0 ? left : null);
    };
    update();
    if (until === null) return;
    const timer = setInterval(update, 250);
    onCleanup(() => clearInterval(timer));
  });
  return seconds;
}
