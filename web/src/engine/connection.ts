/** The connection to the server: a socket or, where none can be opened, events. It opens itself
 * again after a failure. */
import { BackOff } from "./backoff";
import type { Client } from "./client";
import { Refusal } from "./errors";
import { refusedText, retryWait, shownRefusal, type ShownRefusal } from "./failure";
import { IDLE_CLOSE_CODE, LiveSocket } from "./live-socket";
import type { Limits, SearchRequest, ServerMessage } from "./protocol";
import type { Transport } from "./transport";

/**
 * `waiting`: it opens itself again later; `idle`: the next search opens it; `refused`: the server
 * does not admit the user without another key; `forbidden`: nor with one. Both open on request, and
 * when the network or the user is back.
 */
export type ConnectionState =
  | "connecting" | "open" | "waiting" | "idle" | "refused" | "forbidden";

interface ConnectionHandlers {
  /** `refusal` is the reason for `waiting`, `refused` or `forbidden` if the server answered. */
  onState(state: ConnectionState, refusal: ShownRefusal | null): void;
  onMessage(message: ServerMessage): void;
  onLimits(limits: Limits): void;
}

/** The number of sockets that may fail, while HTTP works, before events replace them. */
const MAX_FAILED_SOCKETS = 2;

/** The options of requests that the connection needs. */
const options = () => ({ priority: "search" as const, signal: AbortSignal.timeout(8_000) });

/** The states after which the page alone changes nothing, by the status of the refusal. */
const FINAL_STATES: Readonly<Record<number, ConnectionState>> = {
  401: "refused", 403: "forbidden",
};

export class Connection {
  readonly #client: Client;
  readonly #handlers: ConnectionHandlers;
  readonly #backOff = new BackOff();
  #transport: Transport | null = null;
  #state: ConnectionState = "idle";
  #failedSockets = 0;
  /** The server asked to wait until then. */
  #heldUntil = 0;
  /** The number of the current try. What belongs to an older one is ignored. */
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client, handlers: ConnectionHandlers) {
    this.#client = client;
    this.#handlers = handlers;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Whether events replace the socket. */
  get usesEvents(): boolean {
    return this.#failedSockets >= MAX_FAILED_SOCKETS;
  }

  /** Opens the connection, unless it is open or opens itself. */
  ensureOpen(): void {
    if (this.#state === "idle") void this.#connect();
  }

  /** Tries again at once, as after the network came back, but not before the server allows it. */
  retry(): void {
    const isClosed = ["waiting", "refused", "forbidden"].includes(this.#state);
    if (isClosed && performance.now() >= this.#heldUntil) {
      this.#backOff.reset();
      void this.#connect();
    }
  }

  /** Connects anew, as after a change of the key. */
  reconnect(): void {
    this.#heldUntil = 0;
    this.#failedSockets = 0;
    void this.#connect();
  }

  search(id: number, request: SearchRequest): void {
    this.#transport?.search(id, request);
  }

  stop(): void {
    this.#transport?.stop();
  }

  close(): void {
    this.#attempt += 1;
    clearTimeout(this.#timer);
    this.#transport?.close();
    this.#transport = null;
  }

  #become(state: ConnectionState, refusal: ShownRefusal | null = null): void {
    this.#state = state;
    this.#handlers.onState(state, refusal);
  }

  async #connect(): Promise<void> {
    this.close();
    const attempt = this.#attempt;
    this.#become("connecting");
    try {
      if (this.usesEvents) {
        const transport = await this.#eventStream();
        if (attempt !== this.#attempt) return;
        this.#transport = transport;
        this.#become("open");
        return;
      }
      const ticket = await this.#ticket();
      if (attempt === this.#attempt) this.#transport = this.#socket(ticket);
    } catch (error) {
      if (attempt === this.#attempt) this.#fail(error);
    }
  }

  /** A ticket if a key is set. Without one the socket is opened at once. */
  #ticket(): Promise<string | null> | null {
    return this.#client.key() ? this.#client.ticket(options()) : null;
  }

  #socket(ticket: string | null): Transport {
    return new LiveSocket(ticket, this.#client.budget, {
      onOpen: () => this.#become("open"),
      onMessage: (message) => {
        this.#backOff.reset();
        this.#failedSockets = 0;
        this.#handlers.onMessage(message);
      },
      onClose: (code, hasWorked) => {
        this.#transport = null;
        if (code === IDLE_CLOSE_CODE) this.#become("idle");
        else if (hasWorked) this.#retryLater(this.#backOff.next(document.hidden));
        else void this.#diagnose();
      },
    });
  }

  async #eventStream(): Promise<Transport> {
    const { EventStream } = await import("./event-stream");
    return new EventStream(this.#client, {
      onMessage: (message) => {
        this.#backOff.reset();
        this.#handlers.onMessage(message);
      },
      onRefusal: (refusal) => this.#refuse(refusal),
      onLost: () => {
        // A new start may be on another network, so sockets get another chance.
        this.#failedSockets = 0;
        this.#retryLater(this.#backOff.next(document.hidden));
      },
    });
  }

  /** Asks by HTTP why no socket was opened: browsers do not tell. */
  async #diagnose(): Promise<void> {
    const attempt = this.#attempt;
    this.#become("connecting");
    try {
      const limits = await this.#client.request<Limits>("/v1/limits", options());
      if (attempt !== this.#attempt) return;
      this.#failedSockets += 1;
      this.#backOff.reset();
      this.#handlers.onLimits(limits);
      if (this.usesEvents) void this.#connect();
      else this.#retryLater(this.#backOff.next(document.hidden));
    } catch (error) {
      if (attempt === this.#attempt) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (error instanceof Refusal) {
      this.#refuse(error);
      return;
    }
    this.#failedSockets = 0;
    this.#retryLater(this.#backOff.next(document.hidden));
  }

  #refuse(refusal: Refusal): void {
    this.close();
    const { status, retry_after_ms = 0 } = refusal.problem;
    const text = refusedText(refusal.problem);
    const final = FINAL_STATES[status];
    if (final) {
      this.#become(final, shownRefusal(text, null));
      return;
    }
    const wait = retryWait(refusal, this.#backOff) ?? this.#backOff.next(document.hidden);
    this.#heldUntil = performance.now() + retry_after_ms;
    this.#retryLater(wait, shownRefusal(text, wait));
  }

  #retryLater(wait: number, refusal: ShownRefusal | null = null): void {
    this.close();
    this.#timer = setTimeout(() => void this.#connect(), wait);
    this.#become("waiting", refusal);
  }
}
