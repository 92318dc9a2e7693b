/** The page's one search: when it starts, what it reports, and what follows its end. */
import type { SetStoreFunction } from "solid-js/store";
import { toast } from "../ui/toasts";
import { BackOff } from "./backoff";
import type { Connection } from "./connection";
import type { EngineState } from "./engine-state";
import { refusedText, refusedWait, SENTENCES, shownRefusal } from "./failure";
import { Pace } from "./pace";
import type { LiveProblem, ServerMessage } from "./protocol";
import type { RequestBudget } from "./request-budget";
import { wantedSearch, type SearchSubject, type WantedSearch } from "./search";
import type { SearchResults } from "./search-results";

/** A shorter wait for a worker is not worth a word. A search that ends frees its worker later. */
const SHOW_QUEUE_AFTER_MS = 300;

/** A shorter wait for the server's rate limit is not worth a word either. */
const SHOW_RATE_WAIT_MS = 1_000;

/** The ends after which the page starts the search anew: they say nothing of the position. */
const CUT_SHORT: readonly string[] = ["stopped", "replaced", "shutdown"];

/** A search that was sent to the server. */
interface Search extends SearchSubject {
  readonly id: number;
  readonly hasMoves: boolean;
}

interface Parts {
  readonly state: EngineState;
  readonly setState: SetStoreFunction<EngineState>;
  readonly connection: Connection;
  readonly budget: RequestBudget;
  readonly results: SearchResults;
}

export class SearchRunner {
  readonly #parts: Parts;
  readonly #pace = new Pace();
  /** The waits after refused searches. */
  readonly #backOff = new BackOff();
  /** The searches whose end has not come. */
  readonly #searches = new Map<number, Search>();
  #current: Search | null = null;
  /** The search whose end means nothing any more, because another one is about to start. */
  #superseded: Search | null = null;
  #lastId = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #queueTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the running search has this purpose. */
  isFor(purpose: SearchSubject["purpose"]): boolean {
    return this.#current?.purpose === purpose;
  }

  /** Notes that the user went to another position. */
  step(): void {
    this.#pace.step(performance.now());
  }

  /** Starts the search that should run now, or stops the running one if there is none. */
  start(): void {
    clearTimeout(this.#timer);
    const { state, connection, budget } = this.#parts;
    const next = wantedSearch(state);
    if (!next) this.#rest();
    else if (!connection.isOpen) connection.ensureOpen();
    else {
      const wait = budget.wait("search");
      if (wait > 0) this.#startAfter(wait);
      else this.#send(next);
    }
  }

  /** The same, but not while the user runs through a game, or before a refused search may. */
  startSoon(): void {
    clearTimeout(this.#timer);
    const { state, connection } = this.#parts;
    const refusedFor = connection.isOpen ? (state.refusal?.until ?? 0) - Date.now() : 0;
    const wait = Math.max(this.#pace.wait(performance.now()), refusedFor);
    if (wait <= 0) this.start();
    else this.#timer = setTimeout(() => this.start(), wait);
  }

  /** Searches anew, as after a change of what to search. */
  restart(): void {
    this.#superseded = this.#current;
    this.#parts.setState("ended", null);
    this.startSoon();
  }

  /** Forgets the searches of a connection that was lost. */
  forget(): void {
    this.#searches.clear();
    this.#endCurrent();
    this.#parts.setState("progress", null);
  }

  receive(message: ServerMessage): void {
    const search = this.#searches.get(message.id);
    if (!search) return;
    const { type } = message;
    if (type === "end" || type === "problem") this.#searches.delete(message.id);
    if (type === "info") {
      this.#backOff.reset();
      this.#parts.results.keep(search, message);
    }
    if (search === this.#current) this.#report(search, message);
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#queueTimer);
  }

  #send({ subject, request }: WantedSearch): void {
    const search = { id: ++this.#lastId, hasMoves: request.moves.length > 0, ...subject };
    this.#current = search;
    this.#searches.set(search.id, search);
    this.#pace.search(performance.now());
    this.#leaveQueue();
    this.#parts.setState({ isSearching: true, progress: null, refusal: null });
    this.#parts.connection.search(search.id, request);
  }

  #startAfter(wait: number): void {
    this.#timer = setTimeout(() => this.start(), wait);
    if (wait < SHOW_RATE_WAIT_MS) return;
    this.#parts.setState("refusal", shownRefusal(SENTENCES.rate_limited, wait));
  }

  #rest(): void {
    const { setState, connection } = this.#parts;
    if (this.#current) connection.stop();
    this.#endCurrent();
    setState("progress", null);
    if (connection.isOpen) setState("refusal", null);
  }

  #endCurrent(): void {
    this.#current = null;
    this.#leaveQueue();
    this.#parts.setState("isSearching", false);
  }

  /** Shows what the running search reports. */
  #report(search: Search, message: ServerMessage): void {
    const { state, setState } = this.#parts;
    switch (message.type) {
      case "info": {
        const { depth, nodes, nps } = message;
        this.#leaveQueue();
        setState("progress", { depth, nodes, nps });
        break;
      }
      case "heartbeat": {
        const { nodes, time_ms } = message;
        const nps = time_ms > 0 ? Math.round((nodes / time_ms) * 1_000) : 0;
        if (state.progress) setState("progress", { nodes, nps });
        break;
      }
      case "queued":
        this.#showQueued(message.position);
        break;
      case "ready":
        if (search.purpose !== "shown") break;
        setState("drawReason", message.status === "draw" ? message.draw_reason : null);
        break;
      case "end":
        this.#finish(search, message.reason);
        break;
      case "problem":
        this.#fail(search, message);
    }
  }

  #showQueued(place: number): void {
    const { state, setState } = this.#parts;
    clearTimeout(this.#queueTimer);
    if (state.queued !== null) setState("queued", place);
    else this.#queueTimer = setTimeout(() => setState("queued", place), SHOW_QUEUE_AFTER_MS);
  }

  #leaveQueue(): void {
    clearTimeout(this.#queueTimer);
    this.#parts.setState("queued", null);
  }

  #finish(search: Search, reason: string): void {
    const { setState } = this.#parts;
    this.#endCurrent();
    if (search === this.#superseded) return;
    if (search.purpose === "shown") {
      if (!CUT_SHORT.includes(reason)) setState("ended", reason);
      return;
    }
    if (search.purpose === "aside") setState("aside", null);
    else setState("threat", (threat) => threat && { ...threat, isDone: true });
    this.start();
  }

  #fail(search: Search, problem: LiveProblem): void {
    const { setState, budget } = this.#parts;
    this.#endCurrent();
    let wait = refusedWait(problem, this.#backOff);
    if (problem.code === "rate_limited") {
      budget.hold(wait ?? 0);
      wait = budget.wait("search");
    }
    if (search === this.#superseded) return;
    setState("progress", null);
    if (search.purpose !== "shown") {
      // The analysis of the shown position goes on without it.
      if (search.purpose === "threat") toast(refusedText(problem), "error");
      setState(search.purpose, null);
      this.startSoon();
    } else if (problem.code === "illegal_move" && search.hasMoves) {
      // Such as a move after a fivefold repetition, which a game may go on after.
      setState("isWithoutMoves", true);
      this.start();
    } else {
      setState("refusal", shownRefusal(refusedText(problem), wait));
      if (wait === null) setState("ended", "problem");
      else this.#timer = setTimeout(() => this.start(), wait);
    }
  }
}
