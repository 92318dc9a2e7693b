/** Answers of the server to a question that changes often: the shown position, the last move. */
import { createEffect, createSignal, onCleanup, untrack } from "solid-js";
import { BackOff } from "../engine/backoff";
import { failureOf } from "../engine/failure";
import { createCache } from "../ui/cache";

export interface Question<Answer> {
  /** Questions of the same key have the same answer. */
  readonly key: string;
  load(signal: AbortSignal): Promise<Answer>;
}

/** While the question changes faster than this, nothing is sent. */
const QUIET_MS = 180;
/** Answers that are kept: a user steps back and forth. */
const MAX_KEPT = 48;

/** What is known about a question. An older answer stays until the new one is there. */
interface Known<Answer> {
  readonly key: string | null;
  readonly answer: Answer | null;
  /** Why there is no newer answer, as a sentence. */
  readonly problem: string | null;
}

/**
 * The answer to the present question. At most one request runs; one for an old question is aborted.
 * `isOnline` turns true when the server can be reached again.
 */
export function createLatest<Answer>(
  question: () => Question<Answer> | null,
  isOnline: () => boolean,
) {
  const cache = createCache<Answer>(MAX_KEPT);
  const [known, setKnown] = createSignal<Known<Answer>>({ key: null, answer: null, problem: null });
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let changedAt = -Infinity;
  const backOff = new BackOff();

  function stop() {
    clearTimeout(timer);
    running?.abort();
    running = undefined;
  }

  async function send({ key, load }: Question<Answer>) {
    stop();
    const controller = new AbortController();
    running = controller;
    try {
      const answer = await load(controller.signal);
      backOff.reset();
      cache.set(key, answer);
      if (!controller.signal.aborted) setKnown({ key, answer, problem: null });
    } catch (error) {
      if (controller.signal.aborted) return;
      const { text, retryMs } = failureOf(error, backOff);
      setKnown(({ key, answer }) => ({ key, answer, problem: text }));
      if (retryMs !== null) timer = setTimeout(retry, retryMs);
    }
  }

  function retry() {
    const asked = untrack(question);
    if (asked) void send(asked);
  }

  createEffect(() => {
    const asked = question();
    stop();
    if (!asked) return;
    const { key, answer } = untrack(known);
    const kept = key === asked.key && answer !== null ? answer : cache.get(asked.key);
    if (kept !== undefined) {
      setKnown({ key: asked.key, answer: kept, problem: null });
      return;
    }
    const now = performance.now();
    const isCalm = now - changedAt > QUIET_MS;
    changedAt = now;
    if (isCalm) void send(asked);
    else timer = setTimeout(() => void send(asked), QUIET_MS);
  });
  createEffect(() => {
    if (isOnline() && untrack(known).problem !== null) retry();
  });
  onCleanup(stop);

  return {
    answer: () => known().answer,
    problem: () => known().problem,
    /** Whether the answer is for an earlier question. */
    isOld: () => known().key !== question()?.key,
    retry,
  };
}

export type Latest<Answer> = ReturnType<typeof createLatest<Answer>>;
