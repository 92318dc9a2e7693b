/** A timer for a stream whose server says nothing, as after a lost network. */

/** The server sends a heartbeat every 8 seconds or more often. */
export const MAX_SILENCE_MS = 20_000;

export class SilenceTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onSilence: () => void;

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }

  /** Waits anew. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onSilence, MAX_SILENCE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
