import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Client } from "./client";
import { Refusal, Unreachable } from "./errors";
import { createLatest } from "./latest";
import { createRequests, type Query } from "./requests";
import type { Engine } from "./store";

let disposers: (() => void)[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
});
afterEach(() => {
  disposers.forEach((dispose) => dispose());
  disposers = [];
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Pending {
  resolve(answer: string): void;
  reject(error: unknown): void;
}

/** A server whose answers the test gives, by the keys of the queries. */
function fakeServer() {
  const log: string[] = [];
  const running = new Map<string, Pending>();
  const [connection, setConnection] = createSignal("open");
  const [apiKey, setApiKey] = createSignal<string | null>(null);
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return {
    log, setConnection, setApiKey,
    options: {
      engine: { state: { get connection() { return connection(); } } } as unknown as Engine,
      client: { key: apiKey } as unknown as Client,
    },
    query: (key: string): Query<string> => ({
      key,
      load(signal) {
        log.push(key);
        return new Promise((resolve, reject) => {
          running.set(key, { resolve, reject });
          signal.addEventListener("abort", () => {
            log.push(`${key} aborted`);
            reject(signal.reason);
          });
        });
      },
    }),
    async answer(key: string) {
      running.get(key)?.resolve(`answer to ${key}`);
      await settle();
    },
    async fail(key: string, error: Error) {
      running.get(key)?.reject(error);
      await settle();
    },
  };
}

function fake(options: { maxAgeMs?: () => number } = {}) {
  const server = fakeServer();
  const [wanted, setWanted] = createSignal<readonly string[]>([]);
  const requests = createRoot((dispose) => {
    disposers.push(dispose);
    return createRequests<string>(() => wanted().map(server.query), {
      ...server.options, ...options,
    });
  });
  return { ...server, requests, want: (...keys: string[]) => setWanted(keys) };
}

const refusal = (status: number, retry_after_ms?: number) =>
  new Refusal({
    title: "No", status, code: "no", detail: "the position is odd",
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  });

test("what is wanted first is requested at once, and its answer is kept", async () => {
  const { log, requests, want, answer } = fake();
  want("a");
  expect(requests.isLoading()).toBe(true);
  await answer("a");
  expect(requests.kept("a")?.answer).toBe("answer to a");
  expect(requests.isLoading()).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  want("b");
  await answer("b");
  want("a");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(log).toEqual(["a", "b"]);
});

test("running through a game requests its first and its last position", async () => {
  const { log, want } = fake();
  for (let ply = 0; ply < 200; ply++) {
    want(`ply ${ply}`);
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(log).toEqual(["ply 0", "ply 0 aborted"]);
  await vi.advanceTimersByTimeAsync(200);
  expect(log.slice(2)).toEqual(["ply 199"]);
});

test("an outdated request is aborted, and its late answer changes nothing", async () => {
  const { log, requests, want, answer } = fake();
  want("a");
  await vi.advanceTimersByTimeAsync(1_000);
  want("b");
  expect(log).toEqual(["a", "a aborted", "b"]);
  await answer("b");
  await answer("a");
  expect(requests.kept("a")).toBeUndefined();
  expect(requests.problem()).toBeNull();
});

test("several queries are sent one after another", async () => {
  const { log, want, answer } = fake();
  want("a", "a b", "a c");
  expect(log).toEqual(["a"]);
  await answer("a");
  expect(log).toEqual(["a", "a b"]);
  // Another list with the running request does not abort it.
  want("a", "a b");
  await answer("a b");
  expect(log).toEqual(["a", "a b"]);
});

test("a refresh, another API key and an old age request a kept answer again", async () => {
  let age = Infinity;
  const { log, requests, want, answer, setApiKey } = fake({ maxAgeMs: () => age });
  want("a");
  await answer("a");
  requests.refresh();
  await answer("a");
  setApiKey("secret");
  await answer("a");
  expect(log).toEqual(["a", "a", "a"]);
  await vi.advanceTimersByTimeAsync(20_000);
  want("a");
  expect(log).toHaveLength(3);
  age = 15_000;
  want("a");
  expect(log).toHaveLength(4);
});

test("after 429 and 503 the next try waits as long as the server says", async () => {
  const { log, requests, want, answer, fail } = fake();
  want("b");
  await answer("b");
  await vi.advanceTimersByTimeAsync(1_000);
  want("a");
  await fail("a", refusal(429, 12_000));
  const text = "The server allows no more requests for now. The next try is in 12 s.";
  expect(requests.problem()).toBe(text);
  // What is kept has no problem.
  want("b");
  expect(requests.problem()).toBeNull();
  want("c");
  expect(requests.problem()).toBe(text);
  await vi.advanceTimersByTimeAsync(11_900);
  expect(log).toEqual(["b", "a"]);
  await vi.advanceTimersByTimeAsync(100);
  expect(log).toEqual(["b", "a", "c"]);
  await answer("c");
  expect(requests.problem()).toBeNull();
});

test("a server that is gone or has failed is tried again, or once it is back", async () => {
  const { log, requests, want, fail, answer, setConnection } = fake();
  want("a");
  await fail("a", new Unreachable());
  expect(requests.problem()).toBe("The server cannot be reached. Trying again…");
  await vi.advanceTimersByTimeAsync(200);
  await fail("a", refusal(500));
  expect(log).toHaveLength(2);
  setConnection("waiting");
  setConnection("open");
  await answer("a");
  expect(log).toHaveLength(3);
  expect(requests.kept("a")?.answer).toBe("answer to a");
});

test("a refusal for good is not repeated until the position is shown again", async () => {
  for (const status of [401, 403, 422]) {
    const { log, requests, want, fail } = fake();
    want("a");
    await fail("a", refusal(status));
    expect(requests.problem()).toBe("The position is odd.");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual(["a"]);
    want("b");
    await vi.advanceTimersByTimeAsync(1_000);
    want("a");
    expect(log).toEqual(["a", "b", "b aborted", "a"]);
  }
});

test("old answers are forgotten", async () => {
  const { requests, want, answer } = fake();
  for (let ply = 0; ply < 310; ply++) {
    want(`ply ${ply}`);
    await vi.advanceTimersByTimeAsync(300);
    await answer(`ply ${ply}`);
  }
  expect(requests.kept("ply 9")).toBeUndefined();
  expect(requests.kept("ply 10")).toBeDefined();
});

test("the latest answer stays until the answer to the present question comes", async () => {
  const { log, options, query, answer } = fakeServer();
  const [asked, setAsked] = createSignal<string | null>(null);
  const latest = createRoot((dispose) => {
    disposers.push(dispose);
    return createLatest<string>(() => {
      const key = asked();
      return key === null ? null : query(key);
    }, options);
  });
  expect(log).toEqual([]);
  setAsked("a");
  await answer("a");
  expect([latest.answer(), latest.isOld()]).toEqual(["answer to a", false]);
  setAsked("b");
  await vi.advanceTimersByTimeAsync(300);
  expect([latest.answer(), latest.isOld()]).toEqual(["answer to a", true]);
  await answer("b");
  expect([latest.answer(), latest.isOld()]).toEqual(["answer to b", false]);
  setAsked("a");
  expect([latest.answer(), latest.isOld()]).toEqual(["answer to a", false]);
  expect(log).toEqual(["a", "b"]);
});
