/** The messages to one id of a live board, in order, until its reader takes them. */
import { KibitzerNetworkError } from "./errors.js";
import type { AnalysisLine, LiveReady } from "./types.js";

export type ChannelMessage = AnalysisLine | LiveReady;

/** The longest silence. During a search the server sends something every 8 s or more often. */
const SILENCE_MS = 30_000;

export class Channel {
  /** The id that the newest messages have; it changes with the number of lines. */
  id: number;
  readonly #messages: ChannelMessage[] = [];
  #failure: { error: unknown } | null = null;
  #wake: (() => void) | null = null;

  constructor(id: number) {
    this.id = id;
  }

  push(message: ChannelMessage): void {
    // A slow reader gets the newest result, not every one.
    const isNewer = message.type === "info" && this.#messages.at(-1)?.type === "info";
    if (isNewer) this.#messages.pop();
    this.#messages.push(message);
    this.#wake?.();
  }

  /** Lets the reader fail once it has taken the messages before. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  /** Takes the next message. */
  async next(): Promise<ChannelMessage> {
    const timer = setTimeout(() => {
      this.fail(new KibitzerNetworkError(`/v1/live: no message within ${SILENCE_MS} ms`));
    }, SILENCE_MS);
    try {
      for (;;) {
        const message = this.#messages.shift();
        if (message !== undefined) return message;
        if (this.#failure !== null) throw this.#failure.error;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
      this.#wake = null;
    }
  }
}
