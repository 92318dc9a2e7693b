import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RequestBudget, type Priority } from "./request-budget";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A response under the rate of config/production.toml. */
const response = (remaining: number, policy = '"client";q=120;w=60') => ({
  ok: true,
  headers: new Headers({ "RateLimit-Policy": policy, RateLimit: `"client";r=${remaining};t=9` }),
});

/** A server that counts as governor does: `burst` requests, then one after each `period`. */
function countingServer(burst = 120, period = 500) {
  let full = 0;
  let refusals = 0;
  return {
    arrive(now: number) {
      if (Math.max(full, now) + period - now > burst * period) refusals += 1;
      else full = Math.max(full, now) + period;
    },
    refusals: () => refusals,
  };
}

function production() {
  const budget = new RequestBudget();
  budget.note(response(120), 0);
  return budget;
}

/** The number of requests of a priority that are sent at once. */
function burst(budget: RequestBudget, priority: Priority, now = 0): number {
  let count = 0;
  for (; budget.wait(priority, now) <= 0; count++) budget.spend(now);
  return count;
}

test("without a limit of the server nothing waits", () => {
  const budget = new RequestBudget();
  for (let count = 0; count < 1_000; count++) budget.spend();
  expect(budget.wait("background")).toBe(0);
  const limited = production();
  burst(limited, "search");
  limited.note({ ok: true, headers: new Headers() });
  expect(limited.wait("background")).toBe(0);
});

test("background requests leave some to the user, and these some to searches", () => {
  const budget = production();
  expect(burst(budget, "background")).toBe(112);
  expect(burst(budget, "user")).toBe(4);
  expect(burst(budget, "search")).toBe(2);
  // Two more stay for requests that arrive closer together than they were sent.
  expect(budget.wait("search", 0)).toBe(500);
});

test("a limit of a single request lets that request pass", () => {
  const budget = new RequestBudget();
  budget.note(response(1, '"client";q=1;w=10'), 0);
  expect(budget.wait("background", 0)).toBe(0);
  budget.spend(0);
  expect(budget.wait("search", 0)).toBe(10_000);
});

test("requests as fast as the budget allows are never refused, with delays of up to 1 s", () => {
  const budget = production();
  const server = countingServer();
  const arrivals: number[] = [];
  for (let now = 0; now < 120_000; now += 50) {
    for (const priority of ["search", "user", "background"] as const) {
      if (budget.wait(priority, now) > 0) continue;
      budget.spend(now);
      arrivals.push(now + (now * 7_919) % 1_000);
    }
  }
  arrivals.sort((a, b) => a - b).forEach((now) => server.arrive(now));
  expect(arrivals.length).toBeGreaterThan(340);
  expect(server.refusals()).toBe(0);
});

test("what other tabs have used is noted", () => {
  const budget = production();
  budget.note(response(3), 0);
  expect(budget.wait("search", 0)).toBeLessThanOrEqual(500);
  expect(budget.wait("background", 0)).toBeGreaterThanOrEqual(2_000);
});

test("after a refusal nothing is sent before its wait, and searches go first", () => {
  const budget = production();
  budget.hold(3_000, 0);
  expect(budget.wait("search", 2_900)).toBeGreaterThan(0);
  expect(budget.wait("search", 4_000)).toBe(0);
  expect(budget.wait("background", 4_000)).toBeGreaterThan(0);
  const unknown = new RequestBudget();
  unknown.hold(3_000, 0);
  expect(unknown.wait("search", 2_900)).toBe(100);
});

test("a request waits for its turn, and costs nothing if it is aborted", async () => {
  const budget = new RequestBudget();
  budget.note(response(120));
  burst(budget, "search", performance.now());
  const done: string[] = [];
  const abort = new AbortController();
  void budget.turn("user").then(() => done.push("user"));
  budget.turn("user", abort.signal).catch(() => done.push("aborted"));
  await vi.advanceTimersByTimeAsync(400);
  abort.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(done).toEqual(["aborted"]);
  await vi.advanceTimersByTimeAsync(1_200);
  expect(done).toEqual(["aborted", "user"]);
});
