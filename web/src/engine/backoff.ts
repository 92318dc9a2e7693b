/** The waits between tries: longer each time, shorter while somebody looks. */

/** The shortest and the longest wait for a server that is gone, and for one that is busy. */
const GONE_MS = [200, 1_500] as const;
const BUSY_MS = [2_000, 16_000] as const;
const MAX_HIDDEN_WAIT_MS = 60_000;

export class BackOff {
  #tries = 0;

  /** The wait before the next try. A random part spreads the pages of a restarted server. */
  next(isHidden: boolean, isBusy = false): number {
    const [min, max] = isBusy ? BUSY_MS : GONE_MS;
    const wait = Math.min(min * 2 ** this.#tries, isHidden ? MAX_HIDDEN_WAIT_MS : max);
    this.#tries += 1;
    return wait * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#tries = 0;
  }
}
