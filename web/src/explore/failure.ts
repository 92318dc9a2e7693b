/** A failed request as a sentence, and when to try again. */
import { Refusal, Unreachable } from "../engine/client";
import { sentence } from "../ui/sentence";

interface Failure {
  readonly text: string;
  /** How long to wait before the next try; `null` if another try would fail in the same way. */
  readonly retryMs: number | null;
}

/** The wait if the server names none. It grows with each failure. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 16_000;

/** The failure of the `times`th try in a row. */
export function failureOf(error: unknown, times: number): Failure {
  const wait = Math.min(MIN_WAIT_MS * 2 ** (times - 1), MAX_WAIT_MS);
  if (error instanceof Unreachable) {
    return { text: `${error.message} Trying again…`, retryMs: wait };
  }
  if (!(error instanceof Refusal)) {
    return { text: "The server sent an answer that this page does not know.", retryMs: null };
  }
  const { status } = error.problem;
  const text = sentence(error.message);
  if (status === 401) return { text: `${text} The server needs a valid API key.`, retryMs: null };
  if (status !== 429 && status < 500) return { text, retryMs: null };
  const retryMs = error.retryAfterMs ?? wait;
  return { text: `${text} Trying again in ${Math.ceil(retryMs / 1_000)} s.`, retryMs };
}
