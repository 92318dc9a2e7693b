/**
 * The moments at which searches start. A single step of the user starts one at once. A run through
 * a game starts few, and one where it ends.
 */

/** Three steps and more that follow each other faster are a run. */
const RUN_STEP_MS = 250;

/** A run has ended if no step follows in this time. */
const SETTLE_MS = 150;

/** During a run, a search starts at least this often. */
const MAX_RUN_WAIT_MS = 600;

export class Pace {
  #lastStep = -Infinity;
  #lastSearch = -Infinity;
  /** How many steps, up to the last one, came fast after the one before. */
  #fastSteps = 0;

  /** Notes that the user went to another position. */
  step(now: number): void {
    this.#fastSteps = now - this.#lastStep < RUN_STEP_MS ? this.#fastSteps + 1 : 0;
    this.#lastStep = now;
  }

  /** The time until the next search may start. */
  wait(now: number): number {
    if (this.#fastSteps < 2) return 0;
    const due = Math.min(this.#lastStep + SETTLE_MS, this.#lastSearch + MAX_RUN_WAIT_MS);
    return Math.max(due - now, 0);
  }

  /** Notes that a search starts. */
  search(now: number): void {
    this.#lastSearch = now;
  }
}
