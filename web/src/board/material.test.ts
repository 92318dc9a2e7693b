import { parseBoardFen } from "chessops/fen";
import { expect, test } from "vitest";
import { surplusOf, surplusText } from "./material";

const textOf = (fen: string, color: "white" | "black") =>
  surplusText(surplusOf(parseBoardFen(fen).unwrap(), color));

test("equal material is no surplus", () => {
  expect(textOf("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "white")).toBe("");
  expect(textOf("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "black")).toBe("");
});

test("both sides may have more of something, and one of them is ahead", () => {
  const fen = "r1bqkb1r/pp1ppppp/8/8/8/8/PPPPPPP1/R1BQKBNR";
  expect(textOf(fen, "white")).toBe("1 knight more, 3 points ahead");
  expect(textOf("4k3/8/8/8/8/8/PP6/2B1K2r", "white")).toBe("1 bishop and 2 pawns more");
  expect(textOf("4k3/8/8/8/8/8/8/2B1K2r", "black")).toBe("1 rook more, 2 points ahead");
});

test("a promoted piece counts, and the pawn is missing", () => {
  const fen = "Q3k3/1ppppppp/8/8/8/8/1PPPPPP1/3QK3";
  expect(textOf(fen, "white")).toBe("2 queens more, 17 points ahead");
  expect(textOf(fen, "black")).toBe("1 pawn more");
});
