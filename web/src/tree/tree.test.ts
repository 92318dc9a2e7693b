import { expect, test } from "vitest";
import { newTree, nodeOf, play, remove, ROOT, show, shownLine, type Tree } from "./tree";

function playAll(tree: Tree, moves: string): number[] {
  return moves.split(" ").map((uci) => {
    const played = play(tree, uci);
    if (!played) throw new Error(`${uci} is illegal`);
    return played.id;
  });
}

const line = (tree: Tree) => shownLine(tree).flatMap((node) => node.san ?? []).join(" ");

test("a move becomes a node with its SAN, FEN and ply", () => {
  const tree = newTree();
  playAll(tree, "e2e4 c7c5 g1f3");
  const node = nodeOf(tree, tree.current);
  expect(node).toMatchObject({
    san: "Nf3", uci: "g1f3", ply: 3,
    fen: "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
  });
});

test("an illegal move changes nothing", () => {
  const tree = newTree();
  for (const uci of ["e2e5", "e7e5", "nonsense", ""]) expect(play(tree, uci)).toBeNull();
  expect(Object.keys(tree.nodes)).toHaveLength(1);
});

test("castling is one move, as king's target and as king takes rook", () => {
  const tree = newTree();
  const ids = playAll(tree, "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1");
  show(tree, ids[5]!);
  expect(play(tree, "e1h1")).toEqual({ id: ids[6], isNew: false });
  expect(nodeOf(tree, tree.current).san).toBe("O-O");
});

test("a move that the tree has is shown, not added again", () => {
  const tree = newTree();
  const [first] = playAll(tree, "e2e4");
  show(tree, ROOT);
  expect(play(tree, "e2e4")).toEqual({ id: first, isNew: false });
});

test("another move begins a variation, and the shown line follows the last choice", () => {
  const tree = newTree();
  const [first] = playAll(tree, "e2e4 e7e5");
  show(tree, first!);
  const [other] = playAll(tree, "c7c5");
  show(tree, ROOT);
  expect(line(tree)).toBe("e4 c5");
  expect(nodeOf(tree, first!).children).toHaveLength(2);
  expect(nodeOf(tree, first!).lastShown).toBe(other);
});

test("a removed node takes its continuation along and leaves the rest", () => {
  const tree = newTree();
  const [first, second] = playAll(tree, "e2e4 e7e5 g1f3");
  show(tree, first!);
  playAll(tree, "c7c5 g1f3");
  remove(tree, second!);
  expect(line(tree)).toBe("e4 c5 Nf3");
  expect(Object.keys(tree.nodes)).toHaveLength(4);
  remove(tree, first!);
  expect(tree.current).toBe(ROOT);
  expect(nodeOf(tree, ROOT)).toMatchObject({ children: [], lastShown: null });
});
