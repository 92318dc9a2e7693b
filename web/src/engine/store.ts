/** The engine of the page: one connection, at most one search, and all evaluations so far. */
import { createComputed, on, onCleanup } from "solid-js";
import { createStore } from "solid-js/store";
import type { Client } from "./client";
import { analysisCommands, positionCommands } from "./commands";
import { Connection, type ConnectionState } from "./connection";
import { initialState, type EngineState } from "./engine-state";
import type { ShownRefusal } from "./failure";
import type { Limits } from "./protocol";
import { lineCount } from "./search";
import { createSearchResults } from "./search-results";
import { SearchRunner } from "./search-runner";
import { watchTab } from "./tab-visibility";

export function createEngine(client: Client) {
  const [state, setState] = createStore<EngineState>(initialState());
  const results = createSearchResults(state);
  /** The API key that the limits belong to; `undefined` without limits. */
  let keyOfLimits: string | null | undefined;
  const setLimits = (limits: Limits) => {
    keyOfLimits = client.key();
    setState("limits", limits);
  };
  const connection = new Connection(client, {
    onState: showConnection,
    onMessage: (message) => runner.receive(message),
    onLimits: setLimits,
  });
  const runner = new SearchRunner({ state, setState, connection, budget: client.budget, results });
  const parts = { state, setState, runner, results };

  function showConnection(next: ConnectionState, refusal: ShownRefusal | null) {
    if (next !== "open") runner.forget();
    // A try after a failure is no news.
    if (next === "connecting" && state.connection !== "idle") return;
    setState({ connection: next, refusal });
    if (next !== "open") return;
    runner.start();
    // The page works without the limits, and asks again with the next connection.
    if (keyOfLimits !== client.key()) readLimits().catch(() => undefined);
  }

  async function readLimits(): Promise<Limits> {
    const limits = await client.request<Limits>("/v1/limits");
    setLimits(limits);
    return limits;
  }

  function setAway(isAway: boolean) {
    if (isAway === state.isAway) return;
    setState({ isAway });
    runner.start();
  }

  const unwatchTab = watchTab({
    onShown() {
      connection.retry();
      setAway(false);
    },
    onLeft: () => setAway(true),
  });
  const onOnline = () => connection.retry();
  addEventListener("online", onOnline);
  onCleanup(() => {
    unwatchTab();
    removeEventListener("online", onOnline);
    runner.close();
    connection.close();
  });
  // Before the page is drawn, so that the first evaluation comes sooner.
  connection.ensureOpen();
  const reconnect = () => {
    setState({ connection: "connecting", refusal: null });
    connection.reconnect();
  };
  // Before views show the new key beside the answer to the old one.
  createComputed(on(client.key, reconnect, { defer: true }));

  return {
    state,
    evaluation: results.evaluation,
    shown: results.shown,
    /** The number of lines that a search has. */
    multipv: () => lineCount(state),
    ...positionCommands(parts),
    ...analysisCommands(parts),
    /** Asks the server for its limits and keeps them. Fails as a request does. */
    readLimits,
    /** Connects anew at once. */
    reconnect,
  };
}

export type Engine = ReturnType<typeof createEngine>;
