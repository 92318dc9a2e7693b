/** Live boards: one position at a time over a WebSocket. */
import { Channel, type ChannelMessage } from "./channel.js";
import { KibitzerNetworkError, problemError } from "./errors.js";
import type { CallOptions, Transport } from "./transport.js";
import type { AnalysisLine, LiveReady, LiveRequest, Schemas } from "./types.js";
import { openSocket, type WebSocketConstructor, type WebSocketLike } from "./web-socket.js";

export type { WebSocketConstructor, WebSocketLike };

/** A position for a live board. */
export type LivePosition = Omit<Schemas["LivePosition"], "id" | "type">;

/** The limits and options of an analysis on a live board. */
export type LiveGo = Omit<Schemas["LiveGo"], "id" | "type">;

/** Why a live board was closed, as of a WebSocket. docs/live.md has the codes of the server. */
export interface LiveClose {
  code: number;
  reason: string;
}

type ServerMessage = Schemas["LiveLine"];

const OPEN = 1;

/** A live board. A newer position or analysis replaces the running one. */
export class LiveBoard {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<LiveClose>;
  readonly #socket: WebSocketLike;
  readonly #channels = new Map<number, Channel>();
  #running: Channel | null = null;
  #lastId = 0;

  private constructor(socket: WebSocketLike) {
    this.#socket = socket;
    socket.onmessage = ({ data }: { data: string }) => this.#receive(JSON.parse(data));
    this.closed = new Promise((resolve) => {
      socket.onclose = ({ code, reason }: LiveClose) => {
        this.#failAll(new KibitzerNetworkError(`/v1/live: closed with ${code} ${reason}`.trim()));
        resolve({ code, reason });
      };
    });
  }

  /** Use `client.live()`. */
  static async open(
    transport: Transport, constructor: WebSocketConstructor | undefined, options: CallOptions,
  ): Promise<LiveBoard> {
    return new LiveBoard(await openSocket(transport, constructor, options));
  }

  /** Sets the position, and returns its state. A running analysis ends with `replaced`. */
  async position(position: LivePosition, { signal }: CallOptions = {}): Promise<LiveReady> {
    signal?.throwIfAborted();
    const channel = this.#ask({ type: "position", ...position });
    const release = failOnAbort(channel, signal);
    try {
      return (await channel.next()) as LiveReady;
    } finally {
      release();
    }
  }

  /**
   * Analyses the position and returns the lines up to `end`. Leaving the loop stops the search, and
   * so does the signal.
   */
  go(limits: LiveGo, options: CallOptions = {}): AsyncGenerator<AnalysisLine, void, undefined> {
    return this.#search({ type: "go", ...limits }, options);
  }

  /** Continues the last analysis to this depth. */
  deeper(
    depth: number, options: CallOptions = {},
  ): AsyncGenerator<AnalysisLine, void, undefined> {
    return this.#search({ type: "deeper", depth }, options);
  }

  /** Sets the number of lines. A running analysis goes on with it in the same loop. */
  multipv(value: number): void {
    const channel = this.#running;
    this.#lastId += 1;
    if (channel !== null) {
      channel.id = this.#lastId;
      this.#channels.set(channel.id, channel);
    }
    this.#send({ type: "multipv", value }, this.#lastId);
  }

  /** Stops the running analysis. Its last line has the reason `stopped`. */
  stop(): void {
    this.#lastId += 1;
    this.#send({ type: "stop" }, this.#lastId);
  }

  /** Closes the connection. A running analysis ends. */
  close(): void {
    this.#socket.close(1000);
  }

  #search(
    message: LiveRequest, { signal }: CallOptions,
  ): AsyncGenerator<AnalysisLine, void, undefined> {
    signal?.throwIfAborted();
    const channel = this.#ask(message);
    this.#running = channel;
    // At once, because the caller may abort before the loop begins.
    const release = failOnAbort(channel, signal, () => this.#leave(channel));
    return this.#lines(channel, release);
  }

  async *#lines(
    channel: Channel, release: () => void,
  ): AsyncGenerator<AnalysisLine, void, undefined> {
    try {
      for (;;) {
        const line = (await channel.next()) as AnalysisLine;
        yield line;
        if (line.type === "end") return;
      }
    } finally {
      release();
      this.#leave(channel);
    }
  }

  #leave(channel: Channel): void {
    // A newer search must not be stopped.
    if (this.#running !== channel) return;
    this.#running = null;
    if (this.#socket.readyState === OPEN) this.stop();
  }

  #ask(message: LiveRequest): Channel {
    this.#lastId += 1;
    this.#send(message, this.#lastId);
    const channel = new Channel(this.#lastId);
    this.#channels.set(channel.id, channel);
    return channel;
  }

  #send(message: LiveRequest, id: number): void {
    if (this.#socket.readyState !== OPEN) {
      throw new KibitzerNetworkError("/v1/live: the connection is closed");
    }
    this.#socket.send(JSON.stringify({ ...message, id }));
  }

  #receive(message: ServerMessage): void {
    const { id } = message;
    const channel = typeof id === "number" ? this.#channels.get(id) : undefined;
    if (message.type === "problem") {
      if (channel !== undefined) this.#refuse(id as number, channel);
      channel?.fail(problemError(message));
    } else if (channel !== undefined) {
      this.#deliver(message, id as number, channel);
    }
  }

  #deliver(message: ChannelMessage, id: number, channel: Channel): void {
    if (message.type === "end" || message.type === "ready") {
      // The analysis goes on under the id of the message that changed the number of lines.
      const goesOn = message.type === "end" && message.reason === "replaced" && channel.id !== id;
      this.#channels.delete(id);
      if (goesOn) return;
      this.#end(id, channel);
    }
    channel.push(message);
  }

  #refuse(id: number, channel: Channel): void {
    this.#channels.delete(id);
    // A refused number of lines leaves the analysis running, under the older id.
    const goesOn = [...this.#channels.values()].includes(channel);
    if (!goesOn) this.#end(id, channel);
  }

  #end(id: number, channel: Channel): void {
    this.#channels.delete(id);
    this.#channels.delete(channel.id);
    if (this.#running === channel) this.#running = null;
  }

  #failAll(error: unknown): void {
    for (const channel of this.#channels.values()) channel.fail(error);
    this.#channels.clear();
    this.#running = null;
  }
}

/** Lets the reader of a channel fail when the signal is aborted, until the result is called. */
function failOnAbort(
  channel: Channel, signal: AbortSignal | undefined, leave = () => {},
): () => void {
  const abort = () => {
    channel.fail(signal?.reason);
    leave();
  };
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return () => signal?.removeEventListener("abort", abort);
}
