import { expect, test } from "vitest";
import { glyphsOf, shownNags } from "./glyphs";
import { review } from "./testing";

test("each judged move of a review has its glyph, and no other move has one", () => {
  const glyphs = glyphsOf([7, 8, 9, 10], [review(1, 6), null, review(3, 2), review(4, 30)]);
  expect([...glyphs]).toEqual([[7, 6], [10, 4]]);
});

test("an assessment in the tree wins over the review's, and other glyphs stay beside it", () => {
  const glyphs = new Map([[7, 4]]);
  expect(shownNags({ id: 7, nags: [] }, glyphs)).toEqual([4]);
  expect(shownNags({ id: 7, nags: [1] }, glyphs)).toEqual([1]);
  expect(shownNags({ id: 7, nags: [16] }, glyphs)).toEqual([4, 16]);
  const unjudged = [16];
  expect(shownNags({ id: 8, nags: unjudged }, glyphs)).toBe(unjudged);
});
