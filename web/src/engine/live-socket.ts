/** Searches over one WebSocket to `/v1/live`. */
import { searchMembers, type SearchRequest, type ServerMessage } from "./protocol";
import type { RequestBudget } from "./request-budget";
import { SilenceTimer } from "./silence";
import type { Transport } from "./transport";

/** The server closes a board with this code if its user has been away. */
export const IDLE_CLOSE_CODE = 4000;

/** The code of a connection that broke. */
const BROKEN_CODE = 1006;

const OPEN_TIMEOUT_MS = 8_000;

/** A socket that is closed sooner, and unused, did not work: some proxies close it at once. */
const MIN_LIFE_MS = 2_000;

const PROTOCOL = "kibitzer.v1";

interface Handlers {
  onOpen(): void;
  onMessage(message: ServerMessage): void;
  /** `hasWorked` is false if the socket was not opened. */
  onClose(code: number, hasWorked: boolean): void;
}

export class LiveSocket implements Transport {
  readonly #socket: WebSocket;
  readonly #handlers: Handlers;
  /** The opening of the socket and each search are requests for the server's rate limit. */
  readonly #budget: Pick<RequestBudget, "spend">;
  readonly #silence = new SilenceTimer(() => this.#lose());
  readonly #openTimer: ReturnType<typeof setTimeout>;
  #openedAt = Infinity;
  #hasWorked = false;
  /** The ids of searches whose `end` has not come. */
  readonly #running = new Set<number>();

  constructor(ticket: string | null, budget: Pick<RequestBudget, "spend">, handlers: Handlers) {
    this.#handlers = handlers;
    this.#budget = budget;
    budget.spend();
    const url = new URL("/v1/live", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    if (ticket) url.searchParams.set("ticket", ticket);
    this.#socket = new WebSocket(url, PROTOCOL);
    this.#openTimer = setTimeout(() => this.#lose(), OPEN_TIMEOUT_MS);
    this.#socket.onopen = () => {
      clearTimeout(this.#openTimer);
      this.#openedAt = performance.now();
      handlers.onOpen();
    };
    this.#socket.onmessage = ({ data }) => this.#receive(JSON.parse(data as string));
    this.#socket.onclose = ({ code }) => this.#end(code);
  }

  /** Sends the position and the search together. */
  search(id: number, request: SearchRequest): void {
    const { fen, moves } = request;
    this.#budget.spend();
    this.#running.add(id);
    this.#send({ type: "position", id: `position ${id}`, fen, moves });
    this.#send({ type: "go", id, ...searchMembers(request) });
    this.#silence.restart();
  }

  stop(): void {
    this.#send({ type: "stop" });
  }

  close(): void {
    this.#detach();
    this.#socket.close();
  }

  #send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #receive(message: Omit<ServerMessage, "id"> & { id: unknown }): void {
    this.#hasWorked = true;
    const id = Number(String(message.id).replace(/^position /, ""));
    // The position was refused, so the search that followed it is that of another position.
    const isLast = id === Math.max(...this.#running);
    if (message.type === "problem" && id !== message.id && isLast) this.stop();
    if (message.type === "end" || message.type === "problem") this.#running.delete(id);
    if (this.#running.size > 0) this.#silence.restart();
    else this.#silence.stop();
    this.#handlers.onMessage({ ...message, id } as ServerMessage);
  }

  /** Gives up a socket that does not answer. Its own end could take minutes. */
  #lose(): void {
    this.#socket.close();
    this.#end(BROKEN_CODE);
  }

  #end(code: number): void {
    const hasWorked = this.#hasWorked || performance.now() - this.#openedAt > MIN_LIFE_MS;
    this.#detach();
    this.#handlers.onClose(code, hasWorked);
  }

  #detach(): void {
    clearTimeout(this.#openTimer);
    this.#silence.stop();
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
  }
}
