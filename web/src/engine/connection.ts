/** One WebSocket to `/v1/live` that opens itself again with back-off. */
import type { ClientMessage, ServerMessage } from "./protocol";

export type ConnectionState = "connecting" | "open" | "waiting" | "idle";

/** The server closes a board with this code if its user has been away. */
const IDLE_CLOSE_CODE = 4000;

const MIN_WAIT_MS = 200;
const MAX_WAIT_MS = 1_500;

interface Handlers {
  onState(state: ConnectionState): void;
  onMessage(message: ServerMessage): void;
}

export class Connection {
  #socket: WebSocket | null = null;
  #wait = MIN_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #handlers: Handlers;

  constructor(handlers: Handlers) {
    this.#handlers = handlers;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Opens the socket, unless it is open or about to be. */
  open(): void {
    if (this.#socket) return;
    clearTimeout(this.#timer);
    this.#handlers.onState("connecting");
    const url = new URL("/v1/live", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url, "kibitzer.v1");
    this.#socket = socket;
    socket.onopen = () => {
      this.#wait = MIN_WAIT_MS;
      this.#handlers.onState("open");
    };
    socket.onmessage = ({ data }) => {
      this.#handlers.onMessage(JSON.parse(data as string) as ServerMessage);
    };
    socket.onclose = ({ code }) => {
      this.#socket = null;
      if (code === IDLE_CLOSE_CODE) this.#handlers.onState("idle");
      else this.#openLater();
    };
  }

  send(message: ClientMessage): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(message));
  }

  #openLater(): void {
    this.#handlers.onState("waiting");
    // A random part, so that the pages of a restarted server do not return all at once.
    const wait = this.#wait * (0.5 + Math.random() / 2);
    this.#wait = Math.min(this.#wait * 2, MAX_WAIT_MS);
    this.#timer = setTimeout(() => this.open(), wait);
  }
}
