/** Repetition of requests that the server refuses for a while. */
import { KibitzerError } from "./errors.js";

/** How often, and after which waits, a request is repeated. */
export interface RetryOptions {
  /** The number of repetitions after the first try. The default is 3. */
  attempts?: number;
  /**
   * The longest wait, in milliseconds. A longer `Retry-After` is an error at once. The default is
   * 10,000.
   */
  maxWaitMs?: number;
}

const BASE_WAIT_MS = 250;

/** The share of a wait that is added at random, so that clients do not come back together. */
const JITTER = 0.25;

/** Decides about repetitions. */
export class RetryPolicy {
  readonly attempts: number;
  readonly #maxWaitMs: number;

  constructor(options: RetryOptions | false = {}) {
    const { attempts = 3, maxWaitMs = 10_000 } = options || { attempts: 0 };
    this.attempts = attempts;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * The wait before the next try after `failed` failed ones, or null if the error is final. Only
   * 429 and 503 are repeated: with them the server has done nothing. Every request of this client
   * may be repeated, because games carry an `Idempotency-Key`.
   */
  waitAfter(error: unknown, failed: number): number | null {
    if (!(error instanceof KibitzerError) || ![429, 503].includes(error.status)) return null;
    if (failed > this.attempts) return null;
    const wait = error.retryAfterMs ?? this.backOff(failed);
    return wait > this.#maxWaitMs ? null : jittered(wait);
  }

  /** The wait before a broken connection is opened again, or null if it failed too often. */
  waitToReconnect(failed: number): number | null {
    return failed > this.attempts ? null : jittered(this.backOff(failed));
  }

  private backOff(failed: number): number {
    return Math.min(BASE_WAIT_MS * 2 ** (failed - 1), this.#maxWaitMs);
  }
}

function jittered(wait: number): number {
  return wait * (1 + JITTER * Math.random());
}

/** Waits, or throws the reason of the signal. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
  });
}
