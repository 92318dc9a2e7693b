import { expect, test } from "vitest";
import { limitsOf } from "./levels";

const limits = (max: number, maxNodes: number) => ({
  nodes: { max }, jobs: { max_nodes: maxNodes },
});

test("a level is so many nodes a move, within what the server allows", () => {
  expect(limitsOf("quick", limits(1e9, 1e10), 80)).toEqual({ nodes: 50_000 });
  expect(limitsOf("deep", limits(1_000_000, 1e10), 80)).toEqual({ nodes: 1_000_000 });
  expect(limitsOf("deep", limits(1e9, 1e6), 99)).toEqual({ nodes: 10_000 });
  expect(limitsOf("deep", limits(1e9, 10), 99)).toEqual({ nodes: 1 });
});

test("the standard depth is the server's own", () => {
  expect(limitsOf("standard", limits(1e9, 1e10), 80)).toEqual({});
});
