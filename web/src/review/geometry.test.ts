import { expect, test } from "vitest";
import { areaPath, linePath, pointsOf, xOf } from "./geometry";
import { review } from "./testing";

const at = (ply: number, value: number, type: "cp" | "mate" = "cp") => ({
  ...review(ply), before: { type: "cp" as const, value: 0 }, after: { type, value },
});

test("the moves of a game share the width, and the position before them is at the left", () => {
  expect([0, 1, 4].map((index) => xOf(index, 4))).toEqual([0, 25, 100]);
  expect(xOf(0, 0)).toBe(0);
});

test("an even position is in the middle, and a better one for White is higher", () => {
  const [start, even, white, black] = pointsOf([at(1, 0), at(2, 300), at(3, -300)]);
  expect([start?.y, even?.y]).toEqual([50, 50]);
  expect(white?.y).toBeCloseTo(24.89, 1);
  expect(black?.y).toBeCloseTo(75.11, 1);
});

test("checkmate is a win of the player who gave it", () => {
  const [, , black] = pointsOf([at(1, 0), at(2, 0, "mate")]);
  expect(black?.y).toBeGreaterThan(90);
  const [, white] = pointsOf([at(1, 0, "mate")]);
  expect(white?.y).toBeLessThan(10);
});

test("moves that are not reviewed leave a gap in the line", () => {
  const points = pointsOf([null, at(2, 0), at(3, 0), null, at(5, 0)]);
  expect(points.map((point) => point !== null)).toEqual([false, false, true, true, false, true]);
  expect(linePath(points)).toBe("M40.00 50.00L60.00 50.00M100.00 50.00");
  expect(areaPath(points, 100)).toContain("M40.00 100L40.00 50.00L60.00 50.00L60.00 100Z");
  expect(linePath(pointsOf([null]))).toBe("");
});
