/**
 * Requests about what is shown. At most one runs. Answers are kept by their keys. A user who runs
 * through a game causes no request for what is shown in between.
 */
import { createEffect, createSignal, on, onCleanup } from "solid-js";
import { createCache } from "../ui/cache";
import { BackOff } from "./backoff";
import type { Client } from "./client";
import { failureOf } from "./failure";
import type { Engine } from "./store";

/** A question that the server can answer. */
export interface Query<Answer> {
  /** Queries of the same key have the same answer. */
  readonly key: string;
  load(signal: AbortSignal): Promise<Answer>;
}

export interface Kept<Answer> {
  readonly answer: Answer;
  /** When it came, by `performance.now()`. */
  readonly at: number;
}

interface Options {
  /** Tells when the server is reached again. */
  readonly engine: Pick<Engine, "state">;
  /** Another key may get other answers. */
  readonly client: Pick<Client, "key">;
  /** The age at which a kept answer is requested again when it is wanted anew. */
  maxAgeMs?(): number;
  /** The number of kept answers: by default those of a long game with some variations. */
  readonly maxKept?: number;
}

/** What is wanted so soon after something else waits until the user stays. */
const QUIET_MS = 200;

const MAX_KEPT = 300;

/** Requests what is missing of `wanted`, in its order. */
export function createRequests<Answer>(
  wanted: () => readonly Query<Answer>[],
  { engine, client, maxAgeMs = () => Infinity, maxKept = MAX_KEPT }: Options,
) {
  const cache = createCache<Kept<Answer>>(maxKept);
  const [changes, setChanges] = createSignal(undefined, { equals: false });
  const [problem, setProblem] = createSignal<string | null>(null);
  const [loading, setLoading] = createSignal<string | null>(null);
  const backOff = new BackOff();
  let queries: readonly Query<Answer>[] = [];
  let running: AbortController | null = null;
  /** Keys whose kept answer is outdated, and keys that the server refused for good. */
  const outdated = new Set<string>();
  const refused = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let changedAt = -Infinity;
  let quietUntil = -Infinity;
  /** After a failure: no request before this time, and what is shown until then. */
  let pausedUntil = -Infinity;
  let pauseText: string | null = null;

  function isFresh(key: string): boolean {
    const entry = cache.get(key);
    if (!entry || outdated.has(key)) return false;
    return performance.now() - entry.at < maxAgeMs();
  }
  const next = () => queries.find(({ key }) => !refused.has(key) && !isFresh(key));

  function plan() {
    clearTimeout(timer);
    const query = next();
    if (running || !query) return;
    const wait = Math.max(quietUntil, pausedUntil) - performance.now();
    if (wait > 0) timer = setTimeout(plan, wait);
    else void send(query);
  }

  async function send({ key, load }: Query<Answer>) {
    const { signal } = (running = new AbortController());
    setLoading(key);
    try {
      const answer = await load(signal);
      if (signal.aborted) return;
      keep(key, answer);
    } catch (error) {
      if (signal.aborted) return;
      fail(key, error);
    }
    running = null;
    setLoading(null);
    plan();
  }

  function keep(key: string, answer: Answer) {
    backOff.reset();
    outdated.delete(key);
    cache.set(key, { answer, at: performance.now() });
    setChanges();
    setProblem(null);
  }

  function fail(key: string, error: unknown) {
    const { text, retryMs } = failureOf(error, backOff);
    setProblem(text);
    if (retryMs === null) refused.add(key);
    else {
      pausedUntil = performance.now() + retryMs;
      pauseText = text;
    }
  }

  function stop() {
    clearTimeout(timer);
    running?.abort();
    running = null;
    setLoading(null);
  }

  function want(list: readonly Query<Answer>[]) {
    const now = performance.now();
    const isNew = list[0]?.key !== queries[0]?.key;
    queries = list;
    if (isNew) {
      quietUntil = now - changedAt < QUIET_MS ? now + QUIET_MS : now;
      changedAt = now;
      refused.clear();
      setProblem(next() && now < pausedUntil ? pauseText : null);
    }
    const key = loading();
    if (key !== null && !list.some((query) => query.key === key)) stop();
    plan();
  }

  /** Requests all that is wanted again. */
  function refresh() {
    for (const { key } of queries) outdated.add(key);
    refused.clear();
    plan();
  }

  createEffect(on(wanted, want));
  createEffect(on(() => engine.state.connection === "open", (isOpen) => {
    if (!isOpen) return;
    pausedUntil = -Infinity;
    plan();
  }, { defer: true }));
  createEffect(on(client.key, refresh, { defer: true }));
  onCleanup(stop);

  return {
    /** The kept answer for a key. */
    kept(key: string): Kept<Answer> | undefined {
      changes();
      return cache.get(key);
    },
    /** Why the last request failed, as a sentence, with the time of the next try. */
    problem,
    isLoading: () => loading() !== null,
    refresh,
  };
}
