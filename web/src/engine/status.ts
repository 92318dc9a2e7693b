/** The state of the connection and the search as a sentence. */
import type { EngineState } from "./store";

export function statusText({ connection, queued, isSearching, isEnabled }: EngineState): string {
  if (connection === "connecting") return "Connecting to the server…";
  if (connection === "waiting") return "The server cannot be reached. Trying again…";
  if (connection === "idle") return "Disconnected while idle. The next move connects again.";
  if (queued !== null) return `Connected. Waiting for a worker, place ${queued}.`;
  if (isSearching) return "Connected. The engine is searching.";
  return isEnabled ? "Connected." : "Connected. The engine is paused.";
}
