import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refusal, Unreachable } from "../engine/client";
import { persist, type Wait } from "./retry";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const refusal = (status: number, retryAfterMs: number | null) =>
  new Refusal({
    title: "Refused", status, code: "code", detail: "no",
    ...(retryAfterMs === null ? {} : { retry_after_ms: retryAfterMs }),
  });

/** Runs attempts that fail with these errors and then succeed. */
async function run(errors: readonly Error[], signal = new AbortController().signal) {
  const waits: (Wait | null)[] = [];
  let tries = 0;
  const result = persist(async () => {
    const error = errors[tries++];
    if (error) throw error;
    return "done";
  }, signal, (wait) => waits.push(wait));
  result.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  return { result, waits, tries };
}

test("a server that is gone or busy is asked again, after the wait that it names", async () => {
  const { result, waits } = await run([new Unreachable(), refusal(429, 7_000), refusal(503, null)]);
  expect(await result).toBe("done");
  expect(waits).toEqual([
    { kind: "unreachable" },
    { kind: "busy", detail: "The server allows no more requests for now.", ms: 7_000 },
    { kind: "busy", detail: "The server cannot answer at present.", ms: expect.any(Number) },
    null,
  ]);
});

test("any other error is thrown at once", async () => {
  for (const error of [refusal(410, null), new TypeError("no")]) {
    const { result, tries } = await run([error]);
    await expect(result).rejects.toThrow("no");
    expect(tries).toBe(1);
  }
});

test("an abort ends the tries", async () => {
  const { tries } = await run([new Unreachable()], AbortSignal.abort());
  expect(tries).toBe(1);
});
