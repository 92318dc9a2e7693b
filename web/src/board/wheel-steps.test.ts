import { expect, test } from "vitest";
import { createWheelSteps } from "./wheel-steps";

const stepsOf = (deltas: readonly number[], { mode = 0, every = 10 } = {}) => {
  const stepOf = createWheelSteps();
  return deltas.map((deltaY, index) =>
    stepOf({ deltaY, deltaMode: mode, timeStamp: index * every }));
};

test("a notch is one step, in pixels and in lines", () => {
  expect(stepsOf([100, 120, -100, 53])).toEqual([1, 1, -1, 1]);
  expect(stepsOf([3, -3], { mode: 1 })).toEqual([1, -1]);
});

test("small turns add up, and begin anew after a rest or in the other direction", () => {
  expect(stepsOf([30, 30, 30, 30])).toEqual([0, 0, 1, 0]);
  expect(stepsOf([30, 30, -30, 30])).toEqual([0, 0, 0, 0]);
  expect(stepsOf([30, 30, 30], { every: 1_000 })).toEqual([0, 0, 0]);
});
