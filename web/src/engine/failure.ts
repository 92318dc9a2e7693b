/** Failures of requests as sentences, with the wait before another try. */
import { sentence } from "../ui/sentence";
import type { BackOff } from "./backoff";
import { Refusal, Unreachable } from "./errors";

export interface Failure {
  /** What is wrong and whether the page tries again, in one or two sentences. */
  readonly text: string;
  /** The wait before the next try. `null`: another try would fail in the same way. */
  readonly retryMs: number | null;
}

/** What the server says of a refusal, in a response or in a message of the live board. */
export interface Refused {
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  readonly status?: number;
  readonly retry_after_ms?: number;
}

/** Sentences for what users meet often. For all else the server's own words are shown. */
export const SENTENCES = {
  rate_limited: "The server allows no more requests for now.",
  queue_full: "The server is busy.",
  deadline: "The server is busy: no worker was free in time.",
  not_ready: "The server is not ready.",
  shutting_down: "The server is shutting down.",
  internal: "The server has made an error.",
  unauthorized: "The server needs a valid API key.",
} as const;

/** The codes of refusals that pass. */
const PASSING: readonly string[] = [
  "rate_limited", "queue_full", "deadline", "not_ready", "shutting_down", "internal",
];

const isPassing = ({ code, status = 0 }: Refused) =>
  PASSING.includes(code) || status === 429 || status >= 500;

const isKnown = (code: string): code is keyof typeof SENTENCES =>
  Object.hasOwn(SENTENCES, code);

/** The reason of a refusal as a sentence. */
export function refusedText({ code, title, detail, status = 0 }: Refused): string {
  if (isKnown(code)) return SENTENCES[code];
  if (status === 429) return SENTENCES.rate_limited;
  // Such as the page of a proxy whose server is gone.
  return status >= 500 ? "The server cannot answer at present." : sentence(detail ?? title);
}

/** The wait after a refusal. `null`: it would be repeated. */
export function refusedWait(refused: Refused, backOff: BackOff): number | null {
  if (!isPassing(refused)) return null;
  return refused.retry_after_ms ?? backOff.next(document.hidden, true);
}

/** Why a request failed, as a sentence. */
export function errorText(error: unknown): string {
  if (error instanceof Unreachable) return error.message;
  if (error instanceof Refusal) return refusedText(error.problem);
  return "The server sent an answer that this page does not know.";
}

/** The wait before a failed request is sent again. `null`: it would fail in the same way. */
export function retryWait(error: unknown, backOff: BackOff): number | null {
  if (error instanceof Unreachable) return backOff.next(document.hidden);
  return error instanceof Refusal ? refusedWait(error.problem, backOff) : null;
}

/** A sentence with the time of the next try. */
export const withNextTry = (text: string, ms: number) =>
  `${text} The next try is in ${Math.max(1, Math.ceil(ms / 1_000))} s.`;

export function failureOf(error: unknown, backOff: BackOff): Failure {
  const text = errorText(error);
  const retryMs = retryWait(error, backOff);
  if (retryMs === null) return { text, retryMs };
  // The waits for a server that is gone are short, and nobody knows when it comes back.
  const isGone = error instanceof Unreachable;
  return { text: isGone ? `${text} Trying again…` : withNextTry(text, retryMs), retryMs };
}

/** A refusal that is shown while the time until the next try passes. */
export interface ShownRefusal {
  /** A sentence about what is wrong. */
  readonly text: string;
  /** When the page tries again, in milliseconds since 1970, or `null`. */
  readonly until: number | null;
}

/** A refusal with the wait until the next try, or `null` if there is none. */
export const shownRefusal = (text: string, waitMs: number | null): ShownRefusal =>
  ({ text, until: waitMs === null ? null : Date.now() + waitMs });
