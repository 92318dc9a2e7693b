import { expect, test } from "vitest";
import { newTree, pathTo, playLine, ROOT } from "../tree/tree";
import { analysedPosition, isSamePosition } from "./analysed-position";

const after = (moves: string) => {
  const { tree, id } = playLine(newTree(), ROOT, moves.split(" "));
  return analysedPosition(pathTo(tree, id));
};

test("moves since the last pawn move or capture are sent, for repetitions", () => {
  const position = after("e2e4 e7e5 g1f3 b8c6 f3g1");
  expect(position?.moves).toEqual(["g1f3", "b8c6", "f3g1"]);
  expect(position?.fen).toMatch(/ w KQkq - 0 2$/);
  expect(after("e2e4")).toMatchObject({ moves: [], key: expect.stringMatching(/ b KQkq - 0 1$/) });
});

test("a clock beyond the path begins at its root", () => {
  const tree = newTree("4k3/8/8/8/8/8/8/R3K3 w Q - 40 60");
  const { tree: played, id } = playLine(tree, ROOT, ["a1a2"]);
  expect(analysedPosition(pathTo(played, id))?.moves).toEqual(["a1a2"]);
});

test("the same position with another history is another one for the server", () => {
  expect(isSamePosition(after("g1f3 g8f6"), after("g1f3 g8f6"))).toBe(true);
  expect(isSamePosition(after("g1f3 g8f6"), null)).toBe(false);
  expect(isSamePosition(null, null)).toBe(true);
});
