import { expect, test } from "vitest";
import { drawingsOf, toggled, withDrawings, type Drawing } from "./drawings";

const arrow: Drawing = { orig: "e2", dest: "e4", brush: "green" };
const circle: Drawing = { orig: "d5", brush: "red" };

test("drawings are read from the commands of comments", () => {
  expect(drawingsOf(["good [%csl Rd5][%cal Ge2e4,Yg1f3]", "[%cal Bb1b1]"])).toEqual([
    circle, arrow, { orig: "g1", dest: "f3", brush: "yellow" }, { orig: "b1", brush: "blue" },
  ]);
  expect(drawingsOf(["[%cal Xe2e4,Ge9e4] [%clk 0:01:00]"])).toEqual([]);
});

test("drawings are written without a change of other text", () => {
  expect(withDrawings([], [arrow, circle])).toEqual(["[%csl Rd5][%cal Ge2e4]"]);
  expect(withDrawings(["one", "[%clk 0:03:00] two"], [circle]))
    .toEqual(["one", "[%csl Rd5] [%clk 0:03:00] two"]);
  expect(withDrawings(["[%cal Ge2e4] one", "two"], [circle])).toEqual(["[%csl Rd5] one", "two"]);
});

test("a comment with drawings alone is gone with them", () => {
  expect(withDrawings(["[%csl Rd5][%cal Ge2e4]"], [])).toEqual([]);
  expect(withDrawings(["[%cal Ge2e4] text", "[%csl Rd5]"], [])).toEqual(["text"]);
  expect(withDrawings(["text"], [])).toEqual(["text"]);
});

test("the same drawing once more removes it, and another colour recolours it", () => {
  expect(toggled([arrow, circle], arrow)).toEqual([circle]);
  expect(toggled([arrow], { ...arrow, brush: "blue" })).toEqual([{ ...arrow, brush: "blue" }]);
});

test("comments of a megabyte without an end of a command are read in one pass", () => {
  const start = performance.now();
  for (const comment of [`a${" ".repeat(1_000_000)}b`, "[%cal ".repeat(170_000)]) {
    expect(drawingsOf([comment])).toEqual([]);
    expect(withDrawings([comment], [])).toEqual([comment]);
  }
  expect(performance.now() - start).toBeLessThan(1_000);
});
