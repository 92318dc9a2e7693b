import { parsePgn } from "chessops/pgn";
import { expect, test } from "vitest";
import { mainLine, newTree, play, playLine, ROOT } from "../tree/tree";
import { gameOf, nodesOf, pgnOf, treeOf } from "./game";

const tree = playLine(newTree(), ROOT, ["e2e4", "e7e5", "g1f3"]).tree;

test("the request holds the tags and the main line, without variations", () => {
  const headers = new Map([["White", "Ada \"A\" L"], ["Result", "1-0"]]);
  const branched = play({ ...tree, headers }, ROOT, "d2d4")?.tree ?? tree;
  const [game] = parsePgn(pgnOf(branched));
  expect([...game!.moves.mainline()].map(({ san }) => san)).toEqual(["e4", "e5", "Nf3"]);
  expect(game!.headers.get("White")).toBe("Ada \"A\" L");
  expect(game!.headers.get("Result")).toBe("1-0");
  expect(game!.headers.has("FEN")).toBe(false);
  expect(pgnOf(branched)).not.toContain("d4");
});

test("another start position has its FEN, and that of Chess960 its variant", () => {
  const fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30";
  const [game] = parsePgn(pgnOf(playLine(newTree(fen), ROOT, ["e8e7", "e2e4"]).tree));
  expect(game!.headers.get("FEN")).toBe(fen);
  expect(game!.headers.get("SetUp")).toBe("1");
  expect(game!.headers.has("Variant")).toBe(false);
  const shuffled = "nrkbbnqr/pppppppp/8/8/8/8/PPPPPPPP/NRKBBNQR w KQkq - 0 1";
  expect(pgnOf(newTree(shuffled))).toContain('[Variant "Chess960"]');
});

test("the nodes of a game are found wherever its moves are in the tree", () => {
  const game = gameOf(tree);
  const branched = playLine(newTree(), ROOT, ["d2d4"]).tree;
  const grown = playLine(branched, ROOT, [...game.moves, "b8c6"]).tree;
  expect(nodesOf(grown, game)).toHaveLength(4);
  expect(nodesOf(grown, { ...game, moves: ["e2e4", "c7c5"] })).toBeNull();
  expect(nodesOf(newTree("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), game)).toBeNull();
});

test("a kept game becomes the same tree again", () => {
  expect(mainLine(treeOf(gameOf(tree), new Map()))).toEqual(mainLine(tree));
});
