/**
 * The moments at which searches may start. A single step of the user starts one at once. A run
 * through a game starts few, and one where it ends. The server's rate limit is kept.
 */

/** Steps that follow each other faster belong to a run. */
const RUN_STEP_MS = 250;

/** A run has ended if no step follows in this time. */
const SETTLE_MS = 150;

/** During a run, a search starts at least this often. */
const MAX_RUN_WAIT_MS = 600;

/** The rate without a limit of the server. */
const DEFAULT_RATE = { requests: 240, window_ms: 60_000 };

export interface Rate {
  readonly requests: number;
  readonly window_ms: number;
}

export class Pace {
  #rate: Rate = DEFAULT_RATE;
  #lastStep = -Infinity;
  #lastSearch = -Infinity;
  #isRun = false;
  /** When the searches so far are paid for, if each costs the time of one request. */
  #paidUntil = 0;

  /** Keeps this limit from now on. */
  setRate(rate: Rate | null): void {
    this.#rate = rate ?? DEFAULT_RATE;
  }

  /** Notes that the user went to another position. */
  step(now: number): void {
    this.#isRun = now - this.#lastStep < RUN_STEP_MS;
    this.#lastStep = now;
  }

  /** The time until the next search may start. */
  wait(now: number): number {
    const settled = this.#isRun
      ? Math.min(this.#lastStep + SETTLE_MS, this.#lastSearch + MAX_RUN_WAIT_MS)
      : now;
    // Half of a burst is left to the other requests of the page.
    const credit = (this.#rate.requests / 2) * this.#cost();
    return Math.max(settled - now, this.#paidUntil - credit - now, 0);
  }

  /** Notes that a search starts. */
  search(now: number): void {
    this.#lastSearch = now;
    this.#paidUntil = Math.max(this.#paidUntil, now) + this.#cost();
  }

  #cost(): number {
    return this.#rate.window_ms / this.#rate.requests;
  }
}
