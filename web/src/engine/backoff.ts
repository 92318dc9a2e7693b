/** The waits between tries to connect: longer each time, shorter while somebody looks. */

const MIN_WAIT_MS = 200;
const MAX_WAIT_MS = 1_500;
const MAX_HIDDEN_WAIT_MS = 60_000;

export class BackOff {
  #tries = 0;

  /** The wait before the next try. A random part spreads the pages of a restarted server. */
  next(isHidden: boolean): number {
    const max = isHidden ? MAX_HIDDEN_WAIT_MS : MAX_WAIT_MS;
    const wait = Math.min(MIN_WAIT_MS * 2 ** this.#tries, max);
    this.#tries += 1;
    return wait * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#tries = 0;
  }
}
