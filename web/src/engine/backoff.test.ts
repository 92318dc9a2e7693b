import { expect, test } from "vitest";
import { BackOff } from "./backoff";

const waits = (isHidden: boolean) => {
  const backOff = new BackOff();
  return Array.from({ length: 30 }, () => backOff.next(isHidden));
};

test("the wait grows to 1.5 s while the tab is visible, and further while it is hidden", () => {
  const visible = waits(false);
  expect(visible[0]).toBeLessThanOrEqual(200);
  expect(Math.max(...visible)).toBeLessThanOrEqual(1_500);
  expect(Math.min(...visible.slice(5))).toBeGreaterThanOrEqual(750);
  expect(Math.max(...waits(true))).toBeGreaterThan(20_000);
});
