import { expect, test } from "vitest";
import { nextMistake } from "./navigation";
import type { Mistake } from "./review-data";
import { review } from "./testing";

const mistakes = [[3, 6], [4, 20], [9, 12]].map(([ply = 0, loss]) => review(ply, loss) as Mistake);

test("next and previous go from mistake to mistake, and round at the ends", () => {
  const next = (ply: number) => nextMistake(mistakes, ply, 1)?.ply;
  const previous = (ply: number) => nextMistake(mistakes, ply, -1)?.ply;
  expect([0, 3, 5, 9].map(next)).toEqual([3, 4, 9, 3]);
  expect([10, 9, 3].map(previous)).toEqual([9, 4, 9]);
});

test("a filter leaves the mistakes of one player or one kind", () => {
  expect(nextMistake(mistakes, 3, 1, { color: "white" })?.ply).toBe(9);
  expect(nextMistake(mistakes, 0, 1, { color: "black" })?.ply).toBe(4);
  expect(nextMistake(mistakes, 0, 1, { judgement: "mistake" })?.ply).toBe(9);
  expect(nextMistake(mistakes, 0, 1, { color: "black", judgement: "mistake" })).toBeNull();
});
