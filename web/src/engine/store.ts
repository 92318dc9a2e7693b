/** The engine of the page: one connection, at most one search, and all evaluations so far. */
import { createStore } from "solid-js/store";
import { Connection, type ConnectionState } from "./connection";
import type { Info, ServerMessage } from "./protocol";

/** A position as the server takes it: repetitions need the moves before it. */
export interface AnalysedPosition {
  /** The key of its evaluation: its FEN. */
  readonly key: string;
  readonly fen: string;
  readonly moves: readonly string[];
}

export interface EngineState {
  connection: ConnectionState;
  /** Whether the user wants an analysis. */
  isEnabled: boolean;
  isSearching: boolean;
  /** The place in the server's queue, if the search waits. */
  queued: number | null;
  /** The last refusal of the server, as a sentence. */
  problem: string | null;
  multipv: number;
  evaluations: Record<string, Info>;
}

/** While a user runs through a game, only one position in this time is sent. */
const MIN_INTERVAL_MS = 150;

/** The wait after the problem `rate_limited` or `queue_full` that names none. */
const RETRY_MS = 2_000;

/** The number of moves of a line that fit into a row. */
const PV_LENGTH = 16;

export function createEngine() {
  const [state, setState] = createStore<EngineState>({
    connection: "connecting",
    isEnabled: true,
    isSearching: false,
    queued: null,
    problem: null,
    multipv: 3,
    evaluations: {},
  });
  /** The position on the board, or `null` if the game is over there. */
  let wanted: AnalysedPosition | null = null;
  let lastId = 0;
  /** The positions of the searches that have not ended, by the id of their `go`. */
  const searches = new Map<number, string>();
  let currentGo: number | null = null;
  let lastSent = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const connection = new Connection({
    onState(connectionState) {
      setState("connection", connectionState);
      if (connectionState === "open") start();
      else if (connectionState !== "connecting") forgetSearches();
    },
    onMessage: receive,
  });

  function forgetSearches() {
    searches.clear();
    currentGo = null;
    setState({ isSearching: false, queued: null });
  }

  function start() {
    clearTimeout(timer);
    if (!connection.isOpen) {
      connection.open();
      return;
    }
    if (!state.isEnabled || !wanted) {
      if (currentGo !== null) connection.send({ type: "stop", id: ++lastId });
      setState({ isSearching: false, queued: null });
      return;
    }
    const { key, fen, moves } = wanted;
    connection.send({ type: "position", id: ++lastId, fen, moves });
    currentGo = ++lastId;
    searches.set(currentGo, key);
    connection.send({
      type: "go", id: currentGo, infinite: true, multipv: state.multipv, pv_length: PV_LENGTH,
      pov: "white",
    });
    lastSent = performance.now();
    setState({ isSearching: true, queued: null, problem: null });
  }

  function startSoon() {
    clearTimeout(timer);
    const wait = lastSent + MIN_INTERVAL_MS - performance.now();
    if (wait <= 0) start();
    else timer = setTimeout(start, wait);
  }

  function receive(message: ServerMessage) {
    switch (message.type) {
      case "info": {
        const key = searches.get(message.id);
        if (key !== undefined) keep(key, message);
        if (message.id === currentGo) setState("queued", null);
        break;
      }
      case "queued":
        if (message.id === currentGo) setState("queued", message.position);
        break;
      case "end":
        searches.delete(message.id);
        if (message.id === currentGo) {
          currentGo = null;
          setState({ isSearching: false, queued: null });
        }
        break;
      case "problem": {
        const { code, title, detail } = message;
        setState("problem", detail ? `${title}: ${detail}` : title);
        if (message.id === currentGo) forgetSearches();
        if (code === "rate_limited" || code === "queue_full") {
          clearTimeout(timer);
          timer = setTimeout(start, message.retry_after_ms ?? RETRY_MS);
        }
        break;
      }
    }
  }

  /** Keeps an evaluation, unless a deeper one with as many lines is known. */
  function keep(key: string, info: Info) {
    const known = state.evaluations[key];
    const isBetter =
      !known || info.depth >= known.depth || info.lines.length > known.lines.length;
    if (isBetter && info.lines.length > 0) setState("evaluations", key, info);
  }

  return {
    state,
    evaluation: (key: string): Info | undefined => state.evaluations[key],
    /** Analyses this position from now on, or nothing. */
    show(position: AnalysedPosition | null) {
      wanted = position;
      startSoon();
    },
    toggle() {
      setState("isEnabled", !state.isEnabled);
      startSoon();
    },
    setMultipv(value: number) {
      setState("multipv", value);
      startSoon();
    },
  };
}

export type Engine = ReturnType<typeof createEngine>;
