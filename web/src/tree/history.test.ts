import { createRoot } from "solid-js";
import { expect, test } from "vitest";
import { createHistory } from "./history";
import { patchBetween, patched } from "./patch";
import { randomTree } from "./random-games";
import { createTreeState } from "./state";
import { annotate, newTree, nodeOf, ROOT, type Tree, type TreeNode } from "./tree";

/** A tree of so many nodes, whose moves are of no matter here. */
function largeTree(size: number, name: string): Tree {
  const root = { ...nodeOf(newTree(), ROOT), comments: [name] };
  const nodes = Array.from({ length: size }, (_, id): [number, TreeNode] =>
    [id, { ...root, id, parent: id === ROOT ? null : ROOT }]);
  return { nodes: new Map(nodes), nextId: size, headers: new Map([["Event", name]]) };
}

const withHistory = (
  claim: (history: ReturnType<typeof createHistory>, tree: () => Tree) => void,
) => createRoot((dispose) => {
  const state = createTreeState({ tree: newTree(), current: ROOT });
  claim(createHistory(state), () => state.state().tree);
  dispose();
});

test("a patch leads from any tree to any other one, and has what they do not share", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const [from, to] = [seed, seed + 1].map((number) =>
      ({ tree: randomTree(number), current: ROOT }));
    expect(patched(from!.tree, patchBetween(from!, to!))).toEqual(to);
  }
  const tree = randomTree(3);
  const before = { tree, current: ROOT };
  const after = { tree: annotate(tree, 1, { comments: ["Best"] }), current: 1 };
  expect(patchBetween(before, after).nodes.map(([id]) => id)).toEqual([1]);
  expect(patched(tree, patchBetween(before, before)).tree).toEqual(tree);
});

test("any number of loads of games of 15,000 moves keeps 200,000 nodes at most", () =>
  withHistory(({ change, undo, canUndo }, tree) => {
    const games = [largeTree(15_000, "a"), largeTree(15_000, "b")];
    for (let load = 0; load < 20; load++) change({ tree: games[load % 2]!, current: ROOT });
    let undone = 0;
    for (; canUndo(); undone++) {
      undo();
      expect(tree().headers.get("Event")).toBe(undone % 2 ? "b" : "a");
    }
    // Each load keeps 15,000 nodes of the game before it and 15,000 of its own.
    expect(undone).toBe(Math.floor(200_000 / 30_000));
  }));

test("small edits are bounded by their number", () => withHistory(({ change, undo, canUndo }) => {
  let tree = largeTree(50, "small");
  for (let edit = 0; edit < 600; edit++) {
    tree = annotate(tree, 7, { comments: [String(edit)] });
    change({ tree, current: ROOT });
  }
  let undone = 0;
  for (; canUndo(); undone++) undo();
  expect(undone).toBe(500);
}));

test("an edit that is larger than the limit can be taken back, and nothing before it", () =>
  withHistory(({ change, undo, canUndo }, tree) => {
    for (const name of ["a", "b"]) change({ tree: largeTree(110_000, name), current: ROOT });
    undo();
    expect(tree().headers.get("Event")).toBe("a");
    expect(canUndo()).toBe(false);
  }));
