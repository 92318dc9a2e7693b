import { parseSquare } from "chessops/util";
import { createRoot } from "solid-js";
import { expect, test } from "vitest";
import { createTreeStore } from "../tree/store";
import { newTree } from "../tree/tree";
import { squareAfter, stepsBetween } from "./follow";
import { squareName } from "./squares";

/** A store as the page has it. Nothing in these tests has to be disposed of. */
const storeOf = (fen?: string) => createRoot(() => createTreeStore(newTree(fen)));
const square = (name: string) => parseSquare(name as "a1");
const CASTLED = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1h1"];

/** Where the piece of a square stands after the moves, and after they are taken back. */
function follow(name: string, moves: readonly string[], fen?: string) {
  const tree = storeOf(fen);
  const start = tree.path();
  for (const uci of moves) expect(tree.play(uci)).toBe(true);
  const there = squareAfter(square(name), stepsBetween(start, tree.path()));
  if (there === null) return null;
  const back = squareAfter(there, stepsBetween(tree.path(), start));
  return [squareName(there), back === null ? null : squareName(back)].join(" ");
}

test("a piece is followed through its moves and back", () => {
  expect(follow("e2", ["e2e4", "e7e5"])).toBe("e4 e2");
  expect(follow("f1", CASTLED)).toBe("c4 f1");
  expect(follow("d2", ["e2e4"])).toBe("d2 d2");
});

test("castling shifts king and rook, in Chess960, too", () => {
  expect(follow("e1", CASTLED)).toBe("g1 e1");
  expect(follow("h1", CASTLED)).toBe("f1 h1");
  const fen = "1r2k3/8/8/8/8/8/8/RN2K1R1 w Gb - 0 1";
  expect(follow("e1", ["e1g1"], fen)).toBe("g1 e1");
  expect(follow("g1", ["e1g1"], fen)).toBe("f1 g1");
  expect(follow("b8", ["a1a2", "e8b8"], fen)).toBe("d8 b8");
});

test("a captured piece is lost, and the one that captured it is not", () => {
  expect(follow("d7", ["e2e4", "d7d5", "e4d5"])).toBeNull();
  expect(follow("e2", ["e2e4", "d7d5", "e4d5"])).toBe("d5 e2");
});

test("from variation to variation, moves are taken back and played", () => {
  const tree = storeOf();
  for (const uci of ["e2e4", "e7e5", "g1f3"]) tree.play(uci);
  const before = tree.path();
  tree.back();
  tree.play("g1h3");
  expect(squareAfter(square("f3"), stepsBetween(before, tree.path()))).toBe(square("h3"));
});

test("another game has no steps from this one", () => {
  const tree = storeOf();
  tree.play("e2e4");
  const before = tree.path();
  tree.load(newTree("4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
  expect(stepsBetween(before, tree.path())).toEqual([]);
});
