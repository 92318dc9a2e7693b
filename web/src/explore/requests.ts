/**
 * Requests about positions: at most one runs, an answer is kept for each position, and a user who
 * runs through a game causes no request for the positions in between.
 */
import { createSignal, getOwner, onCleanup, untrack } from "solid-js";
import { BackOff } from "../engine/backoff";
import { failureOf } from "../engine/failure";

export interface Kept<Answer> {
  readonly answer: Answer;
  /** When it came, by `performance.now()`. */
  readonly at: number;
}

interface Options<Query, Answer> {
  send(query: Query, signal: AbortSignal): Promise<Answer>;
  /** The age at which a kept answer is requested again when its position is shown again. */
  maxAgeMs?(): number;
}

/** A position that follows another one within this time waits until the user stays. */
const QUIET_MS = 250;

/** The number of answers that are kept: a long game with some variations. */
const MAX_KEPT = 300;

export function createRequests<Query extends { readonly key: string }, Answer>(
  { send, maxAgeMs = () => Infinity }: Options<Query, Answer>,
) {
  const [kept, setKept] = createSignal<ReadonlyMap<string, Kept<Answer>>>(new Map());
  const [problem, setProblem] = createSignal<string | null>(null);
  const [loading, setLoading] = createSignal<string | null>(null);
  let wanted: readonly Query[] = [];
  let running: AbortController | null = null;
  /** Keys whose kept answer is outdated, and keys that the server refused for good. */
  const outdated = new Set<string>();
  const refused = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let changedAt = -Infinity;
  let quietUntil = -Infinity;
  /** No request before this time, after a failure. */
  let pausedUntil = -Infinity;
  const backOff = new BackOff();

  function isFresh(key: string): boolean {
    const entry = untrack(kept).get(key);
    if (!entry || outdated.has(key)) return false;
    return performance.now() - entry.at < untrack(maxAgeMs);
  }
  const next = () => wanted.find(({ key }) => !refused.has(key) && !isFresh(key));

  function plan() {
    clearTimeout(timer);
    if (running || !next()) return;
    const wait = Math.max(quietUntil, pausedUntil) - performance.now();
    if (wait > 0) timer = setTimeout(plan, wait);
    else void start();
  }

  async function start() {
    const query = next();
    if (!query) return;
    const controller = new AbortController();
    running = controller;
    setLoading(query.key);
    try {
      const answer = await send(query, controller.signal);
      if (controller.signal.aborted) return;
      backOff.reset();
      outdated.delete(query.key);
      keepAnswer(query.key, answer);
      setProblem(null);
    } catch (error) {
      if (controller.signal.aborted) return;
      const { text, retryMs } = failureOf(error, backOff);
      setProblem(text);
      if (retryMs === null) refused.add(query.key);
      else pausedUntil = performance.now() + retryMs;
    }
    running = null;
    setLoading(null);
    plan();
  }

  function keepAnswer(key: string, answer: Answer) {
    const entries = new Map(untrack(kept));
    entries.delete(key);
    entries.set(key, { answer, at: performance.now() });
    const [oldest] = entries.keys();
    if (entries.size > MAX_KEPT && oldest !== undefined) entries.delete(oldest);
    setKept(entries);
  }

  function stop() {
    clearTimeout(timer);
    running?.abort();
    running = null;
    setLoading(null);
  }

  if (getOwner()) onCleanup(stop);

  return {
    /** The kept answer for a position. */
    kept: (key: string): Kept<Answer> | undefined => kept().get(key),
    /** Why the last request failed, as a sentence. */
    problem,
    /** The key of the running request. */
    loading,
    /** Requests what is missing of these, in their order. Other requests end. */
    want(queries: readonly Query[]) {
      const now = performance.now();
      if (queries[0]?.key !== wanted[0]?.key) {
        quietUntil = now - changedAt < QUIET_MS ? now + QUIET_MS : now;
        changedAt = now;
        refused.clear();
        if (pausedUntil <= now) setProblem(null);
      }
      wanted = queries;
      const key = untrack(loading);
      if (key !== null && !queries.some((query) => query.key === key)) stop();
      plan();
    },
    /** Requests all that is wanted again. */
    refresh() {
      for (const { key } of wanted) outdated.add(key);
      refused.clear();
      plan();
    },
    /** Ends the pause after a failure: the server can be reached again. */
    retry() {
      pausedUntil = -Infinity;
      plan();
    },
  };
}

export type Requests<Query extends { readonly key: string }, Answer> =
  ReturnType<typeof createRequests<Query, Answer>>;
