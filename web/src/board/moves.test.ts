import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { makeSquare, parseSquare } from "chessops/util";
import { expect, test } from "vitest";
import { targetsOf, uciOf } from "./moves";

const at = (fen: string) => Chess.fromSetup(parseFen(fen).unwrap()).unwrap();
const king = (fen: string, square: string) =>
  targetsOf(at(fen)).get(parseSquare(square as "e1"))?.map(makeSquare).sort();
const uci = (fen: string, from: string, to: string) =>
  uciOf(at(fen), parseSquare(from as "e1"), parseSquare(to as "e1"));

const STANDARD = "4k3/8/8/8/8/8/3PPP2/R3K2R w KQ - 0 1";
const KNIGHTS_SIDE = "4k3/8/8/8/8/8/PPPPPPPP/1RK4R w HB - 0 1";
const BESIDE_TARGET = "4k3/8/8/8/8/8/PPPPPPPP/R4K1R w HA - 0 1";

test("castling goes to the king's square and to the rook", () => {
  expect(king(STANDARD, "e1")).toEqual(["a1", "c1", "d1", "f1", "g1", "h1"]);
  for (const to of ["g1", "h1"]) expect(uci(STANDARD, "e1", to)).toBe("e1h1");
  for (const to of ["c1", "a1"]) expect(uci(STANDARD, "e1", to)).toBe("e1a1");
});

test("in Chess960 a king that stands on its target castles by taking the rook", () => {
  expect(king(KNIGHTS_SIDE, "c1")).toEqual(["b1", "d1", "g1", "h1"]);
  expect(uci(KNIGHTS_SIDE, "c1", "b1")).toBe("c1b1");
  expect(uci(KNIGHTS_SIDE, "c1", "g1")).toBe("c1h1");
});

test("a step of the king to the castling square stays a step", () => {
  expect(king(BESIDE_TARGET, "f1")).toEqual(["a1", "c1", "e1", "g1", "h1"]);
  expect(uci(BESIDE_TARGET, "f1", "g1")).toBe("f1g1");
  expect(uci(BESIDE_TARGET, "f1", "h1")).toBe("f1h1");
});
