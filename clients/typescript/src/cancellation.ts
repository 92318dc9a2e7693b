/** The end of one request: by its caller, or because the server is silent. */
import { KibitzerNetworkError } from "./errors.js";

/** Joins the caller's signal with a timer. `AbortSignal.any` is missing in Node.js 20.0. */
export class Cancellation {
  readonly #caller: AbortSignal | undefined;
  readonly #silenceMs: number;
  readonly #controller = new AbortController();
  readonly #abort = () => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSilent = false;

  constructor(caller: AbortSignal | undefined, silenceMs: number) {
    caller?.throwIfAborted();
    this.#caller = caller;
    this.#silenceMs = silenceMs;
    caller?.addEventListener("abort", this.#abort, { once: true });
    this.restart();
  }

  /** The signal for `fetch`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins to measure the silence of the server. */
  restart(): void {
    this.pause();
    this.#timer = setTimeout(() => {
      this.#isSilent = true;
      this.#abort();
    }, this.#silenceMs);
  }

  /** Measures no silence: nobody waits for the server. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the request, if it has not ended: the server then frees its worker. */
  finish(): void {
    this.pause();
    this.#caller?.removeEventListener("abort", this.#abort);
    this.#abort();
  }

  /** What to throw for an error of `fetch` or of reading a body. */
  explain(error: unknown, route: string): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    if (this.#isSilent) {
      return new KibitzerNetworkError(`${route}: no answer within ${this.#silenceMs} ms`);
    }
    // Node.js has the reason in the cause: "fetch failed", caused by ECONNREFUSED.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    return new KibitzerNetworkError(`${route}: ${reason}`, { cause: error });
  }
}
