import { expect, test } from "vitest";
import { Pace } from "./pace";

/** Steps at these times; the times at which searches start. */
function searches(pace: Pace, steps: readonly number[]): number[] {
  const started: number[] = [];
  let due = Infinity;
  const runUntil = (time: number) => {
    if (due > time || due === Infinity) return;
    started.push(due);
    pace.search(due);
    due = Infinity;
  };
  for (const step of steps) {
    runUntil(step);
    pace.step(step);
    due = step + pace.wait(step);
    runUntil(step);
  }
  runUntil(Infinity);
  return started;
}

const run = (number: number, every: number, start = 1_000) =>
  Array.from({ length: number }, (_, index) => start + index * every);

test("single steps start a search at once", () => {
  expect(searches(new Pace(), [1_000, 1_300, 1_600])).toEqual([1_000, 1_300, 1_600]);
});

test("a move right after the page has opened is no run", () => {
  expect(searches(new Pace(), [1_000, 1_190])).toEqual([1_000, 1_190]);
});

test("a run of 200 steps in 10 seconds starts few searches, and one at its end", () => {
  const started = searches(new Pace(), run(200, 50));
  expect(started.length).toBeLessThan(22);
  expect(started[0]).toBe(1_000);
  expect(started.at(-1)).toBe(1_000 + 199 * 50 + 150);
});
