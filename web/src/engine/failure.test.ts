import { beforeEach, expect, test, vi } from "vitest";
import { BackOff } from "./backoff";
import { Refusal, Unreachable } from "./errors";
import { errorText, failureOf } from "./failure";

beforeEach(() => void vi.stubGlobal("document", { hidden: false }));

const refusal = (status: number, code: string, rest: object = {}) =>
  new Refusal({ title: "Title", status, code, ...rest });

const retryMs = (error: unknown) => failureOf(error, new BackOff()).retryMs;

test("frequent refusals have the page's sentence, others the server's words", () => {
  expect(errorText(refusal(429, "rate_limited", { detail: "the rate is 2" })))
    .toBe("The server allows no more requests for now.");
  expect(errorText(refusal(401, "unauthorized"))).toBe("The server needs a valid API key.");
  expect(errorText(refusal(422, "invalid_request", { detail: "moves has 1600 entries" })))
    .toBe("Moves has 1600 entries.");
  expect(errorText(refusal(404, "not_found"))).toBe("Title.");
});

test("nothing internal is shown: neither of a server nor of the page", () => {
  expect(errorText(refusal(500, "internal", { detail: "thread panicked at src/x.rs" })))
    .toBe("The server has made an error.");
  expect(errorText(refusal(502, "unknown"))).toBe("The server cannot answer at present.");
  expect(errorText(refusal(429, "unknown"))).toBe("The server allows no more requests for now.");
  expect(errorText(new TypeError("x is undefined")))
    .toBe("The server sent an answer that this page does not know.");
  expect(errorText("broken")).toBe("The server sent an answer that this page does not know.");
});

test("another try may help if the server is gone, refuses for now or has failed", () => {
  for (const passing of [
    new Unreachable(), refusal(429, "unknown"), refusal(503, "queue_full"),
    refusal(500, "internal"), refusal(502, "unknown"),
  ]) {
    expect(retryMs(passing)).toBeGreaterThan(0);
  }
  for (const lasting of [400, 401, 403, 404, 410, 413, 422]) {
    expect(retryMs(refusal(lasting, "code"))).toBeNull();
  }
  expect(retryMs(new SyntaxError("no JSON"))).toBeNull();
});

test("the wait is the server's, or else grows with each failure", () => {
  const backOff = new BackOff();
  const named = refusal(503, "deadline", { retry_after_ms: 1_250 });
  expect(failureOf(named, backOff)).toEqual({
    text: "The server is busy: no worker was free in time. The next try is in 2 s.",
    retryMs: 1_250,
  });
  const waits = Array.from({ length: 6 }, () =>
    failureOf(refusal(503, "deadline"), backOff).retryMs ?? 0);
  expect(waits[0]).toBeLessThanOrEqual(2_000);
  expect(waits.at(-1)).toBeGreaterThanOrEqual(8_000);
  expect(failureOf(new Unreachable(), new BackOff()).text)
    .toBe("The server cannot be reached. Trying again…");
});
