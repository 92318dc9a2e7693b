/** The engine of the page: one connection, at most one search, and all evaluations so far. */
import { batch, createEffect, createMemo, createSignal, on, onCleanup, untrack } from "solid-js";
import { createStore } from "solid-js/store";
import { positionOf } from "../tree/tree";
import { toast } from "../ui/toasts";
import { isSamePosition, type AnalysedPosition } from "./analysed-position";
import { BackOff } from "./backoff";
import type { Client } from "./client";
import { Connection } from "./connection";
import { initialState, type EngineState, type ShownRefusal } from "./engine-state";
import { createEvaluations } from "./evaluations";
import { refusedText, refusedWait, type Refused } from "./failure";
import { Pace } from "./pace";
import { keepPreferences, type LimitName } from "./preferences";
import type { Info, Limits, LiveProblem, ServerMessage } from "./protocol";
import { restrict, type ChosenMove, type Restriction } from "./restriction";
import { wantedSearch, type SearchSubject, type WantedSearch } from "./search";
import { watchTab } from "./tab-visibility";
import { threatFen } from "./threat";

/** A shorter wait for a worker is not worth a word. A search that ends frees its worker later. */
const SHOW_QUEUE_AFTER_MS = 300;

/** A search that was sent to the server. */
interface Search extends SearchSubject {
  readonly id: number;
  readonly hasMoves: boolean;
}

const shownRefusal = (refused: Refused, waitMs: number | null): ShownRefusal =>
  ({ text: refusedText(refused), until: waitMs === null ? null : Date.now() + waitMs });

export function createEngine(client: Client) {
  const [state, setState] = createStore<EngineState>(initialState());
  const evaluations = createEvaluations();
  /** The position on the board, or `null` if the game is over there. */
  const [position, setPosition] = createSignal<AnalysedPosition | null>(null);
  /** The evaluation under the present restriction. */
  const [restricted, setRestricted] = createSignal<Info>();
  const pace = new Pace();
  /** The waits after refused searches. */
  const backOff = new BackOff();
  const searches = new Map<number, Search>();
  let current: Search | null = null;
  /** The search whose end means nothing any more, because another one is about to start. */
  let superseded: Search | null = null;
  let lastId = 0;
  /** The server refused the moves before the position, so it is sent alone. */
  let isWithoutMoves = false;
  /** The tab has been hidden for long. */
  let isAway = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let queueTimer: ReturnType<typeof setTimeout> | undefined;

  const connection = new Connection(client, {
    onState(next, refused) {
      if (next !== "open") forgetSearches();
      // A try after a failure is no news.
      if (next === "connecting" && state.connection !== "idle") return;
      const refusal = refused && shownRefusal(refused.refusal.problem, refused.waitMs);
      setState({ connection: next, refusal });
      if (next === "open") {
        start();
        // The page works without them, and asks again with the next connection.
        if (!state.limits) readLimits().catch(() => undefined);
      }
    },
    onMessage: receive,
    onLimits: setLimits,
  });

  const multipv = () => Math.min(state.multipv, state.limits?.multipv.max ?? state.multipv);

  function setLimits(limits: Limits) {
    setState("limits", limits);
    pace.setRate(limits.rate);
  }

  async function readLimits(): Promise<Limits> {
    const limits = await client.request<Limits>("/v1/limits");
    setLimits(limits);
    return limits;
  }

  function forgetSearches() {
    searches.clear();
    endCurrent();
    setState("progress", null);
  }

  function endCurrent() {
    current = null;
    leaveQueue();
    setState("isSearching", false);
  }

  function showQueued(place: number) {
    clearTimeout(queueTimer);
    if (state.queued !== null) setState("queued", place);
    else queueTimer = setTimeout(() => setState("queued", place), SHOW_QUEUE_AFTER_MS);
  }

  function leaveQueue() {
    clearTimeout(queueTimer);
    setState("queued", null);
  }

  /** The search that should run now, if any. */
  function wanted(): WantedSearch | null {
    const shown = position();
    if (!shown || isAway) return null;
    const sent = isWithoutMoves ? { ...shown, fen: shown.key, moves: [] } : shown;
    return wantedSearch(state, sent, multipv());
  }

  function start() {
    clearTimeout(timer);
    const next = wanted();
    if (!next) {
      if (current) connection.stop();
      endCurrent();
      setState("progress", null);
      if (connection.isOpen) setState("refusal", null);
      return;
    }
    if (!connection.isOpen) {
      connection.ensureOpen();
      return;
    }
    const { subject, request } = next;
    current = { id: ++lastId, hasMoves: request.moves.length > 0, ...subject };
    searches.set(current.id, current);
    pace.search(performance.now());
    leaveQueue();
    setState({ isSearching: true, progress: null, refusal: null });
    connection.search(current.id, request);
  }

  function startSoon() {
    clearTimeout(timer);
    const refusedFor = connection.isOpen ? (state.refusal?.until ?? 0) - Date.now() : 0;
    const wait = Math.max(pace.wait(performance.now()), refusedFor);
    if (wait <= 0) start();
    else timer = setTimeout(start, wait);
  }

  /** Searches anew, as after a change of what to search. */
  function restart() {
    superseded = current;
    setState("ended", null);
    startSoon();
  }

  function receive(message: ServerMessage) {
    const search = searches.get(message.id);
    if (!search) return;
    const isCurrent = search === current;
    switch (message.type) {
      case "info":
        backOff.reset();
        keep(search, message);
        if (isCurrent) {
          const { depth, nodes, nps } = message;
          leaveQueue();
          setState("progress", { depth, nodes, nps });
        }
        break;
      case "heartbeat":
        if (isCurrent && state.progress) {
          const { nodes, time_ms } = message;
          const nps = time_ms > 0 ? Math.round((nodes / time_ms) * 1_000) : 0;
          setState("progress", { nodes, nps });
        }
        break;
      case "queued":
        if (isCurrent) showQueued(message.position);
        break;
      case "ready":
        if (isCurrent && search.purpose === "shown") {
          setState("drawReason", message.status === "draw" ? message.draw_reason : null);
        }
        break;
      case "end":
        searches.delete(message.id);
        if (isCurrent) finish(search, message.reason);
        break;
      case "problem":
        searches.delete(message.id);
        if (isCurrent) fail(search, message);
        break;
    }
  }

  function keep(search: Search, info: Info) {
    if (!search.restriction) {
      evaluations.keep(search.key, search.multipv, info);
      return;
    }
    const isWanted = search.restriction === state.restriction;
    if (isWanted && info.depth >= (untrack(restricted)?.depth ?? 0)) setRestricted(info);
  }

  function finish(search: Search, reason: string) {
    endCurrent();
    if (search === superseded) return;
    if (search.purpose !== "shown") {
      if (search.purpose === "threat") {
        setState("threat", (threat) => threat && { ...threat, isDone: true });
      } else {
        setState("aside", null);
      }
      start();
    } else if (reason !== "stopped" && reason !== "replaced" && reason !== "shutdown") {
      setState("ended", reason);
    }
  }

  function fail(search: Search, problem: LiveProblem) {
    endCurrent();
    if (search === superseded) return;
    setState("progress", null);
    const refusal = shownRefusal(problem, refusedWait(problem, backOff));
    if (search.purpose !== "shown") {
      // The analysis of the shown position goes on without it.
      if (search.purpose === "threat") toast(refusal.text, "error");
      setState(search.purpose, null);
      startSoon();
      return;
    }
    if (problem.code === "illegal_move" && search.hasMoves) {
      // Such as a move after a fivefold repetition, which a game may go on after.
      isWithoutMoves = true;
      start();
      return;
    }
    setState("refusal", refusal);
    if (refusal.until === null) setState("ended", "problem");
    else timer = setTimeout(start, refusal.until - Date.now());
  }

  function show(next: AnalysedPosition | null) {
    if (isSamePosition(next, position())) return;
    pace.step(performance.now());
    isWithoutMoves = false;
    batch(() => {
      setPosition(next);
      setRestricted(undefined);
      setState({ restriction: null, threat: null, aside: null, isDeeper: false, drawReason: null });
    });
    restart();
  }

  function lookAside(next: AnalysedPosition | null) {
    if (isSamePosition(next, state.aside)) return;
    setState("aside", next);
    if (next || current?.purpose === "aside") startSoon();
  }

  function setRestriction(restriction: Restriction | null) {
    batch(() => {
      setRestricted(undefined);
      setState({ restriction, isDeeper: false, isEnabled: true });
    });
    restart();
  }

  function toggleThreat() {
    const shown = position();
    if (state.threat || !shown) {
      setState("threat", null);
      start();
      return;
    }
    const threat = threatFen(shown.key);
    if ("reason" in threat) {
      toast(threat.reason);
      return;
    }
    setState({ threat: { fen: threat.fen, isDone: false }, isHidden: false });
    startSoon();
  }

  const setAway = (isLeft: boolean) => {
    if (isLeft === isAway) return;
    isAway = isLeft;
    start();
  };
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
    clearTimeout(timer);
    clearTimeout(queueTimer);
    connection.close();
  });
  // Before the page is drawn, so that the first evaluation comes sooner.
  connection.ensureOpen();
  createEffect(on(client.key, () => connection.reconnect(), { defer: true }));

  return {
    state,
    /** The deepest known evaluation of a position with all its moves, from White's view. */
    evaluation: (fen: string): Info | undefined => evaluations.withLines(fen, 1),
    /** The evaluation with the chosen number of lines and the chosen moves, for the panel. */
    shown: createMemo((): Info | undefined => {
      const shown = position();
      if (!shown) return undefined;
      return state.restriction ? restricted() : evaluations.withLines(shown.key, multipv());
    }),
    multipv,
    /** Analyses this position from now on, or nothing. */
    show: (next: AnalysedPosition | null) => untrack(() => show(next)),
    /** Searches another position for a moment, before the shown one. `null`: not any more. */
    lookAside: (next: AnalysedPosition | null) => untrack(() => lookAside(next)),
    toggle() {
      setState({ isEnabled: !state.isEnabled, isHidden: false });
      restart();
    },
    toggleHidden() {
      setState("isHidden", !state.isHidden);
      restart();
    },
    toggleThreat,
    /** Goes on beyond the limit of the search that has ended. */
    deeper() {
      setState({ isDeeper: true, isEnabled: true });
      restart();
    },
    setMultipv(value: number) {
      setState("multipv", value);
      keepPreferences(state);
      restart();
    },
    setLimit(limit: LimitName) {
      setState({ limit, isDeeper: false });
      keepPreferences(state);
      restart();
    },
    /** Searches only this move, or also without this move, until the position changes. */
    restrict(kind: Restriction["kind"], move: ChosenMove) {
      const shown = position();
      if (!shown) return;
      const restriction = restrict(positionOf(shown.key), state.restriction, kind, move);
      if (restriction) setRestriction(restriction);
      else toast("At least one move must be left to search.");
    },
    /** Takes back the restriction by one move. */
    unrestrict(move: ChosenMove) {
      const { restriction } = state;
      const moves = restriction?.moves.filter(({ uci }) => uci !== move.uci) ?? [];
      setRestriction(restriction && moves.length > 0 ? { ...restriction, moves } : null);
    },
    /** Connects at once. */
    reconnect: () => connection.reconnect(),
    /** Asks the server for its limits and keeps them. Fails as a request does. */
    readLimits,
  };
}

export type Engine = ReturnType<typeof createEngine>;
