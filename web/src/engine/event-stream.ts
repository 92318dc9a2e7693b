/** Searches by `POST /v1/analysis`, for networks whose proxies refuse WebSockets. */
import type { Client } from "./client";
import { Refusal } from "./errors";
import { searchMembers, type SearchRequest, type ServerMessage } from "./protocol";
import { SilenceTimer } from "./silence";
import type { Transport } from "./transport";

interface Handlers {
  onMessage(message: ServerMessage): void;
  onRefusal(refusal: Refusal): void;
  /** The server was not reached, or the stream broke. */
  onLost(): void;
}

/** Whether a refusal is about the search or its moment, and not about the user or the server. */
const isAboutRequest = ({ problem: { status } }: Refusal) =>
  status === 503 || (status < 500 && status !== 401 && status !== 403);

export class EventStream implements Transport {
  readonly #client: Client;
  readonly #handlers: Handlers;
  /** With its name, the server ends an older search of this page that it still runs. */
  readonly #session = `board-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  #running: { readonly id: number; readonly abort: AbortController } | null = null;

  constructor(client: Client, handlers: Handlers) {
    this.#client = client;
    this.#handlers = handlers;
  }

  search(id: number, request: SearchRequest): void {
    this.stop();
    const abort = new AbortController();
    this.#running = { id, abort };
    void this.#read(id, request, abort);
  }

  stop(): void {
    const running = this.#running;
    this.close();
    if (running) this.#handlers.onMessage({ type: "end", id: running.id, reason: "stopped" });
  }

  close(): void {
    this.#running?.abort.abort();
    this.#running = null;
  }

  async #read(id: number, request: SearchRequest, abort: AbortController): Promise<void> {
    const { fen, moves } = request;
    const json = { fen, moves, session: this.#session, ...searchMembers(request) };
    const silence = new SilenceTimer(() => this.#lose(abort));
    silence.restart();
    try {
      const events = this.#client.events("/v1/analysis", {
        json, signal: abort.signal, priority: "search",
      });
      for await (const { data } of events) {
        silence.restart();
        const message = { ...(data as object), id } as ServerMessage;
        if (abort !== this.#running?.abort) return;
        if (message.type === "end" || message.type === "problem") this.#running = null;
        this.#handlers.onMessage(message);
      }
      this.#lose(abort);
    } catch (error) {
      if (abort !== this.#running?.abort) return;
      this.#running = null;
      if (!(error instanceof Refusal)) this.#handlers.onLost();
      else if (isAboutRequest(error)) {
        this.#handlers.onMessage({ ...error.problem, type: "problem", id });
      }
      else this.#handlers.onRefusal(error);
    } finally {
      silence.stop();
    }
  }

  /** Ends a search whose stream broke or fell silent. */
  #lose(abort: AbortController): void {
    if (abort !== this.#running?.abort) return;
    this.close();
    this.#handlers.onLost();
  }
}
