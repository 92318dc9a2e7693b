import { expect, test } from "vitest";
import { areaPath, linePath, pointsOf, xOf } from "./geometry";
import { review } from "./testing";

const at = (ply: number, after = 50) => ({ ...review(ply), win_chance: { before: 50, after } });

test("the moves of a game share the width, and the position before them is at the left", () => {
  expect([0, 1, 4].map((index) => xOf(index, 4))).toEqual([0, 25, 100]);
  expect(xOf(0, 0)).toBe(0);
});

test("an even position is in the middle, and a better one for White is higher", () => {
  const points = pointsOf([at(1), at(2, 75.11), at(3, 2.45)]);
  expect(points.map((point) => point?.y)).toEqual([50, 50, expect.closeTo(24.89), 97.55]);
});

test("moves that are not reviewed leave a gap in the line", () => {
  const points = pointsOf([null, at(2), at(3), null, at(5)]);
  expect(points.map((point) => point !== null)).toEqual([false, false, true, true, false, true]);
  expect(linePath(points)).toBe("M40.00 50.00L60.00 50.00M100.00 50.00");
  expect(areaPath(points, 100)).toContain("M40.00 100L40.00 50.00L60.00 50.00L60.00 100Z");
  expect(linePath(pointsOf([null]))).toBe("");
});
