import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refusal, Unreachable } from "../engine/client";
import { createRequests } from "./requests";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Requests whose answers the test gives, by their keys. */
function fake(maxAgeMs?: () => number) {
  const log: string[] = [];
  interface Pending { resolve(answer: string): void; reject(error: unknown): void }
  const running = new Map<string, Pending>();
  const requests = createRequests<{ key: string }, string>({
    send({ key }, signal) {
      log.push(key);
      return new Promise((resolve, reject) => {
        running.set(key, { resolve, reject });
        signal.addEventListener("abort", () => {
          log.push(`${key} aborted`);
          reject(signal.reason);
        });
      });
    },
    ...(maxAgeMs ? { maxAgeMs } : {}),
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return {
    log,
    requests,
    want: (...keys: string[]) => requests.want(keys.map((key) => ({ key }))),
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

const refusal = (status: number, retryAfterMs: number | null = null) =>
  new Refusal({
    title: "No", status, code: "no", detail: "the position is odd",
    ...(retryAfterMs === null ? {} : { retry_after_ms: retryAfterMs }),
  });

test("the first position is requested at once, and its answer is kept", async () => {
  const { log, requests, want, answer } = fake();
  want("a");
  expect(requests.loading()).toBe("a");
  await answer("a");
  expect(requests.kept("a")?.answer).toBe("answer to a");
  expect(requests.loading()).toBeNull();
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
  await vi.advanceTimersByTimeAsync(250);
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

test("several positions are requested one after another", async () => {
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

test("a refresh and an old age request a kept answer again", async () => {
  let age = Infinity;
  const { log, requests, want, answer } = fake(() => age);
  want("a");
  await answer("a");
  requests.refresh();
  await answer("a");
  expect(log).toEqual(["a", "a"]);
  await vi.advanceTimersByTimeAsync(20_000);
  want("a");
  expect(log).toHaveLength(2);
  age = 15_000;
  want("a");
  expect(log).toHaveLength(3);
});

test("after 429 and 503 the next try waits as long as the server says", async () => {
  const { log, requests, want, answer, fail } = fake();
  want("a");
  await fail("a", refusal(429, 12_000));
  expect(requests.problem()).toBe("The server allows no more requests for now. The next try is in 12 s.");
  await vi.advanceTimersByTimeAsync(5_000);
  want("b");
  await vi.advanceTimersByTimeAsync(6_900);
  expect(log).toEqual(["a"]);
  expect(requests.problem()).not.toBeNull();
  await vi.advanceTimersByTimeAsync(100);
  expect(log).toEqual(["a", "b"]);
  await answer("b");
  expect(requests.problem()).toBeNull();
});

test("a server that is gone is tried again after growing waits, or once it is back", async () => {
  const { log, requests, want, fail, answer } = fake();
  want("a");
  await fail("a", new Unreachable());
  expect(requests.problem()).toBe("The server cannot be reached. Trying again…");
  await vi.advanceTimersByTimeAsync(200);
  await fail("a", new Unreachable());
  await vi.advanceTimersByTimeAsync(150);
  expect(log).toHaveLength(2);
  requests.retry();
  await answer("a");
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
