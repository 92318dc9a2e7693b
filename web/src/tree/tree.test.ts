import { expect, test } from "vitest";
import {
  annotate, demote, mainLine, makeMainLine, newTree, nodeOf, play, playLine, promote, remove, ROOT,
  type NodeId, type Tree, variationOf,
} from "./tree";

const grow = (tree: Tree, at: NodeId, moves: string) => playLine(tree, at, moves.split(" "));
const main = (tree: Tree) => mainLine(tree).flatMap(({ san }) => san ?? []).join(" ");

test("a move becomes a node with its SAN, FEN and ply", () => {
  const { tree, id } = grow(newTree(), ROOT, "e2e4 c7c5 g1f3");
  expect(nodeOf(tree, id)).toMatchObject({
    san: "Nf3", uci: "g1f3", ply: 3,
    fen: "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
  });
});

test("the ply counts from White's first move, also from a position within a game", () => {
  const tree = newTree("8/8/8/8/8/4k3/4p3/4K3 b - - 0 60");
  expect(nodeOf(tree, ROOT).ply).toBe(119);
  expect(play(tree, ROOT, "e3d3")?.tree.nodes.get(1)?.ply).toBe(120);
});

test("an illegal move changes nothing", () => {
  for (const uci of ["e2e5", "e7e5", "nonsense", ""]) expect(play(newTree(), ROOT, uci)).toBeNull();
  const { tree } = grow(newTree(), ROOT, "e2e4 e2e4 e7e5");
  expect(main(tree)).toBe("e4");
});

test("castling is one move, as king's target and as king takes rook", () => {
  const { tree, id } = grow(newTree(), ROOT, "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1");
  const parent = nodeOf(tree, id).parent!;
  expect(play(tree, parent, "e1h1")).toEqual({ tree, id });
  expect(nodeOf(tree, id).san).toBe("O-O");
});

test("an edit leaves the tree before it as it was", () => {
  const before = grow(newTree(), ROOT, "e2e4").tree;
  const after = play(before, ROOT, "d2d4")!.tree;
  expect(nodeOf(before, ROOT).children).toHaveLength(1);
  expect(nodeOf(after, ROOT).children).toHaveLength(2);
});

test("a removed node takes its continuation along and leaves the rest", () => {
  const { tree } = grow(newTree(), ROOT, "e2e4 e7e5 g1f3");
  const both = grow(tree, 1, "c7c5 g1f3").tree;
  const rest = remove(both, 2);
  expect(main(rest)).toBe("e4 c5 Nf3");
  expect([...rest.nodes.keys()]).toEqual([0, 1, 4, 5]);
  expect(remove(rest, ROOT)).toBe(rest);
});

test("a variation is promoted by one place, or to the main line at all its forks", () => {
  const lines = ["e2e4 e7e5", "e2e4 c7c5 g1f3", "e2e4 c7c5 b1c3"];
  const tree = lines.reduce((grown, moves) => grow(grown, ROOT, moves).tree, newTree());
  const last = [...tree.nodes.keys()].at(-1)!;
  expect(variationOf(tree, last)?.san).toBe("Nc3");
  expect(main(promote(tree, 3))).toBe("e4 c5 Nf3");
  expect(main(demote(tree, 2))).toBe("e4 c5 Nf3");
  expect(main(makeMainLine(tree, last))).toBe("e4 c5 Nc3");
  expect(variationOf(makeMainLine(tree, last), last)).toBeNull();
});

test("annotations belong to one move", () => {
  const { tree, id } = grow(newTree(), ROOT, "e2e4 e7e5");
  const annotated = annotate(tree, id, { nags: [1], comments: ["Good"] });
  expect(nodeOf(annotated, id)).toMatchObject({ nags: [1], comments: ["Good"], san: "e5" });
  expect(nodeOf(annotated, 1).comments).toEqual([]);
});

test("comments before a variation follow its first move into the main line", () => {
  const lines = ["e2e4", "d2d4"];
  const tree = lines.reduce((grown, moves) => grow(grown, ROOT, moves).tree, newTree());
  const commented = annotate(tree, 2, { startingComments: ["Or"], comments: ["solid"] });
  for (const edited of [makeMainLine(commented, 2), remove(commented, 1)]) {
    expect(nodeOf(edited, 2)).toMatchObject({ startingComments: [], comments: ["Or", "solid"] });
  }
});
