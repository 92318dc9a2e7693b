import { createEffect, createRoot } from "solid-js";
import { expect, test } from "vitest";
import { createEvaluations } from "./evaluations";
import type { Info, Line } from "./protocol";

const info = (depth: number, lines = 1): Info => ({
  type: "info", id: 1, source: "search", depth, seldepth: depth, nodes: 1, nps: 1,
  lines: Array.from({ length: lines }, (_, index): Line => ({
    rank: index + 1, score: { type: "cp", value: depth }, wdl: [300, 400, 300], depth,
    pv: ["e2e4"], pv_san: ["e4"],
  })),
});

test("the depth of a position never falls", () => {
  const evaluations = createEvaluations();
  evaluations.keep("a", 1, info(20));
  evaluations.keep("a", 1, info(3));
  expect(evaluations.withLines("a", 1)?.depth).toBe(20);
});

test("an evaluation with more lines serves views with fewer, but not the other way", () => {
  const evaluations = createEvaluations();
  evaluations.keep("a", 1, info(20));
  evaluations.keep("a", 3, info(12, 3));
  expect(evaluations.withLines("a", 1)?.depth).toBe(20);
  expect(evaluations.withLines("a", 2)?.depth).toBe(12);
  expect(evaluations.withLines("a", 4)).toBeUndefined();
});

test("the number of positions is bounded, and the oldest goes first", () => {
  const evaluations = createEvaluations(2);
  evaluations.keep("a", 1, info(1));
  evaluations.keep("b", 1, info(1));
  evaluations.keep("a", 1, info(2));
  evaluations.keep("c", 1, info(1));
  expect(evaluations.size()).toBe(2);
  expect(evaluations.withLines("b", 1)).toBeUndefined();
  expect(evaluations.withLines("a", 1)?.depth).toBe(2);
});

test("an empty evaluation is not kept", () => {
  const evaluations = createEvaluations();
  evaluations.keep("a", 1, { ...info(5), lines: [] });
  expect(evaluations.withLines("a", 1)).toBeUndefined();
});

test("only the readers of a position are told of its change", () => {
  const seen: (number | undefined)[] = [];
  const evaluations = createEvaluations();
  const dispose = createRoot((end) => {
    createEffect(() => seen.push(evaluations.withLines("a", 1)?.depth));
    return end;
  });
  evaluations.keep("a", 1, info(4));
  evaluations.keep("b", 1, info(9));
  evaluations.keep("a", 1, info(5));
  dispose();
  evaluations.keep("a", 1, info(6));
  expect(seen).toEqual([undefined, 4, 5]);
});
