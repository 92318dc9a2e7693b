import { expect, test } from "vitest";
import * as steps from "./practice";
import type { Mistake } from "./review-data";
import { review } from "./testing";

const mistakes = [1, 3, 5, 7].map((ply) => review(ply, 20) as Mistake);
const good = (practice: steps.Practice) =>
  steps.judged(steps.tryMove(practice, "e2e4"), "good", "Good");
const bad = (practice: steps.Practice) =>
  steps.judged(steps.tryMove(practice, "a2a3"), "bad", "No");

test("a good move stays on the board, a bad one is taken back for another try", () => {
  const start = steps.startPractice(mistakes);
  expect(steps.tryMove(start, "e2e4")).toMatchObject({ phase: "judging", move: "e2e4" });
  expect(bad(start)).toMatchObject({ phase: "find", move: null, grade: "bad", feedback: "No" });
  expect(bad(start).wrongTries).toBe(1);
  expect(good(start)).toMatchObject({ phase: "found", move: "e2e4", grade: "good" });
});

test("a try that nobody judged does not count", () => {
  const tried = steps.tryMove(steps.startPractice(mistakes), "a2a3");
  expect(steps.notJudged(tried, "No answer")).toMatchObject({
    phase: "find", wrongTries: 0, grade: null,
  });
});

test("a judgement that comes too late changes nothing", () => {
  const start = steps.startPractice(mistakes);
  expect(steps.judged(start, "good", "Late")).toBe(start);
  const solved = good(start);
  expect(steps.tryMove(solved, "d2d4")).toBe(solved);
  expect(steps.showSolution(solved, "Best")).toBe(solved);
});

test("the score counts first tries, later tries, shown and skipped mistakes", () => {
  let practice = steps.next(good(steps.startPractice(mistakes)));
  practice = steps.next(good(bad(practice)));
  practice = steps.next(steps.showSolution(bad(practice), "Best"));
  expect(practice).toMatchObject({ index: 3, phase: "find", wrongTries: 0, feedback: null });
  practice = steps.next(practice);
  expect(practice.phase).toBe("over");
  expect(practice.results).toEqual(["first", "later", "shown", "skipped"]);
  expect(steps.scoreSentence(practice)).toBe(
    "Better moves found at the first try: 1 of 4; 1 at a later try, 1 shown, 1 skipped.",
  );
  expect(steps.currentMistake(practice)).toBeNull();
  expect(steps.next(practice)).toBe(practice);
});

test("the solution is the best move of the review", () => {
  const shown = steps.showSolution(steps.startPractice(mistakes), "Best");
  expect(shown).toMatchObject({ phase: "shown", move: "e2e4" });
});
