/** Requests that are repeated until the server answers. */
import { BackOff } from "../engine/backoff";
import { Unreachable } from "../engine/errors";
import { errorText, retryWait } from "../engine/failure";
import { sleep } from "../engine/sleep";

/** Why the next try comes later, and when. `detail` is a sentence. */
export type Wait =
  | { readonly kind: "unreachable" }
  | { readonly kind: "busy"; readonly detail: string; readonly ms: number };

/**
 * Repeats an attempt until it succeeds, while the server is gone or busy. Another error is thrown
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
      const wait = retryWait(error, backOff);
      if (wait === null) throw error;
      onWait(error instanceof Unreachable
        ? { kind: "unreachable" }
        : { kind: "busy", detail: errorText(error), ms: wait });
      await sleep(wait, signal);
      signal.throwIfAborted();
    }
  }
}
