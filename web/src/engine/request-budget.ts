/**
 * The server's rate limit, kept by all requests and searches of the tab together. The server gives
 * back one request after each equal part of its window, up to the requests of a whole window.
 */
import { sleep } from "./sleep";

interface Rate {
  readonly requests: number;
  readonly window_ms: number;
}

/** What a request is for. The next search comes first, and what only informs comes last. */
export type Priority = "search" | "user" | "background";

/**
 * The time in which the limit must be able to give back more than it gives to this priority. It
 * leaves some requests to the priorities before it, and some to the delays of the network.
 */
const RESERVE_MS: Readonly<Record<Priority, number>> = {
  search: 1_000, user: 2_000, background: 4_000,
};

/** A limit that gives back less in its window has smaller reserves. */
const FULL_RESERVE_WINDOW_MS = 8_000;

/** The parameters of a header such as `"client";q=120;w=60`. */
const parameter = (header: string, name: string) =>
  Number(new RegExp(`;\\s*${name}=(\\d+)`).exec(header)?.[1] ?? NaN);

export class RequestBudget {
  #rate: Rate | null = null;
  /** When all requests so far are given back. */
  #paidUntil = 0;
  /** The server has refused a request, and accepts none before. */
  #heldUntil = 0;

  /** The time until a request may be sent. */
  wait(priority: Priority, now = performance.now()): number {
    return Math.max(this.#waitForRate(priority, now), this.#heldUntil - now, 0);
  }

  /** Notes that a request is sent. */
  spend(now = performance.now()): void {
    this.#paidUntil = Math.max(this.#paidUntil, now) + this.#cost();
  }

  /** Waits until a request may be sent, and notes it. A request that is aborted costs nothing. */
  async turn(priority: Priority, signal?: AbortSignal): Promise<void> {
    for (;;) {
      const wait = this.wait(priority);
      if (wait <= 0) break;
      await sleep(Math.ceil(wait), signal);
      signal?.throwIfAborted();
    }
    this.spend();
  }

  /** Notes what a response says of the limit, which other tabs share. */
  note({ ok, headers }: Pick<Response, "ok" | "headers">, now = performance.now()): void {
    const policy = headers.get("RateLimit-Policy");
    if (!policy) {
      if (ok) this.#rate = null;
      return;
    }
    const rate = { requests: parameter(policy, "q"), window_ms: parameter(policy, "w") * 1_000 };
    if (!(rate.requests > 0 && rate.window_ms > 0)) return;
    if (rate.requests !== this.#rate?.requests) this.#paidUntil = 0;
    this.#rate = rate;
    const used = rate.requests - parameter(headers.get("RateLimit") ?? "", "r");
    // The part of a request that is given back already is not known.
    if (used > 1) this.#paidUntil = Math.max(this.#paidUntil, now + (used - 1) * this.#cost());
  }

  /** Sends nothing for this time: the server has refused a request. */
  hold(ms: number, now = performance.now()): void {
    this.#heldUntil = Math.max(this.#heldUntil, now + ms);
    if (this.#rate) this.#paidUntil = Math.max(this.#paidUntil, now + ms + this.#spare());
  }

  #waitForRate(priority: Priority, now: number): number {
    if (!this.#rate) return 0;
    const spare = this.#spare();
    const reserve = RESERVE_MS[priority] * Math.min(1, spare / FULL_RESERVE_WINDOW_MS);
    return this.#paidUntil + reserve - spare - now;
  }

  /** The time in which a request is given back. */
  #cost(): number {
    return this.#rate ? this.#rate.window_ms / this.#rate.requests : 0;
  }

  /** The time in which all requests but one are given back. */
  #spare(): number {
    return this.#rate ? this.#rate.window_ms - this.#cost() : 0;
  }
}
