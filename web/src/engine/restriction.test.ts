import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { expect, test } from "vitest";
import { legalMoves } from "../tree/legal-moves";
import { restrict, unrestrict } from "./restriction";

const positionOf = (fen: string) => Chess.fromSetup(parseFen(fen).unwrap()).unwrap();
const e4 = { uci: "e2e4", san: "e4" };
const d4 = { uci: "d2d4", san: "d4" };

test("“only” leaves one move, “without” all others, and more of them add up", () => {
  const start = Chess.default();
  expect(restrict(start, null, "only", e4)?.searchmoves).toEqual(["e2e4"]);
  const without = restrict(start, restrict(start, null, "without", e4), "without", d4)!;
  expect(without.moves).toEqual([e4, d4]);
  expect(without.searchmoves).toHaveLength(18);
  expect(without.searchmoves).not.toContain("e2e4");
  expect(unrestrict(start, without, e4)?.searchmoves).toContain("e2e4");
  expect(unrestrict(start, unrestrict(start, without, e4)!, d4)).toBeNull();
  expect(restrict(start, without, "only", d4)?.moves).toEqual([d4]);
});

test("castling is excluded in both of its forms, and each promotion counts", () => {
  const castling = positionOf("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
  const without = restrict(castling, null, "without", { uci: "e1g1", san: "O-O" })!;
  expect(without.searchmoves).toHaveLength(legalMoves(castling).length - 1);
  expect(without.searchmoves).not.toContain("e1h1");
  expect(legalMoves(positionOf("8/P7/8/8/8/8/8/k1K5 w - - 0 1"))).toHaveLength(4 + 3);
});

test("the last legal move cannot be excluded", () => {
  const forced = positionOf("7k/8/8/8/8/8/8/K5RR b - - 0 1");
  expect(legalMoves(forced)).toHaveLength(0);
  const single = positionOf("k7/8/1K6/8/8/8/8/7R b - - 0 1");
  expect(restrict(single, null, "without", { uci: "a8b8", san: "Kb8" })).toBeNull();
});
