/** Requests that are repeated until the server answers. */
import { BackOff } from "../engine/backoff";
import { Refusal } from "../engine/client";

/** The wait after 429 or 503 that names none. */
const BUSY_WAIT_MS = 2_000;

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });

/** Why the next try comes later, and when. */
export type Wait =
  | { readonly kind: "unreachable" }
  | { readonly kind: "busy"; readonly detail: string; readonly ms: number };

const isBusy = ({ problem: { status } }: Refusal) => status === 429 || status === 503;

/**
 * Repeats an attempt until it succeeds, while the server is gone or busy. Another refusal is thrown
 * at once. `attempt` calls `onAnswer` when the server has answered, so that the next wait is short.
 */
export async function persist<Result>(
  attempt: (onAnswer: () => void) => Promise<Result>,
  signal: AbortSignal,
  onWait: (wait: Wait | null) => void,
): Promise<Result> {
  const backOff = new BackOff();
  for (;;) {
    try {
      const result = await attempt(() => {
        backOff.reset();
        onWait(null);
      });
      onWait(null);
      return result;
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof Refusal && !isBusy(error)) throw error;
      let wait = backOff.next(false);
      if (error instanceof Refusal) {
        wait = error.retryAfterMs ?? BUSY_WAIT_MS;
        onWait({ kind: "busy", detail: error.message, ms: wait });
      } else {
        onWait({ kind: "unreachable" });
      }
      await sleep(wait, signal);
      signal.throwIfAborted();
    }
  }
}
