import { INITIAL_FEN } from "chessops/fen";
import { expect, test } from "vitest";
import { backRank, CHESS960_COUNT, startPosition } from "./chess960";
import { readPosition } from "../tree/fen";
import { checkHere } from "./position-check";
import {
  enPassantSquares, isChess960, readSetup, rightsOf, withPiece, withRights, writeSetup,
} from "./setup";

test("a FEN is read field by field and written again", () => {
  expect(writeSetup(readSetup(INITIAL_FEN))).toBe(INITIAL_FEN);
  expect(writeSetup(readSetup("8/8/8/8/8/8/8/8 b"))).toBe("8/8/8/8/8/8/8/8 b - - 0 1");
  expect(readSetup("no such FEN")).toMatchObject({ board: "no", side: "such", castling: "FEN" });
  expect(writeSetup(readSetup(""))).toBe("8/8/8/8/8/8/8/8 w - - 0 1");
});

test("pieces are placed and taken", () => {
  const empty = readSetup("8/8/8/8/8/8/8/8 w - - 0 1");
  const placed = withPiece(empty, 4, { color: "white", role: "king" });
  expect(placed.board).toBe("8/8/8/8/8/8/8/4K3");
  expect(withPiece(placed, 4, null).board).toBe("8/8/8/8/8/8/8/8");
});

test("castling rights name a side, or the file of a rook in Chess960", () => {
  const standard = readSetup("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1");
  expect(rightsOf(standard)).toEqual({
    white: { a: null, h: "outer" }, black: { a: "outer", h: null },
  });
  expect(isChess960(standard)).toBe(false);
  const other = readSetup("4k3/8/8/8/8/8/8/1RR1KR1R w FC - 0 1");
  expect(rightsOf(other).white).toEqual({ a: "c", h: "f" });
  expect(isChess960(other)).toBe(true);
  expect(withRights(other, { white: { a: "b", h: "outer" }, black: { a: null, h: null } }).castling)
    .toBe("KB");
  expect(withRights(other, { white: { a: null, h: null }, black: { a: null, h: null } }).castling)
    .toBe("-");
});

test("en passant is offered where a pawn can have passed", () => {
  expect(enPassantSquares(readSetup("4k3/8/8/3pP3/4p3/8/8/4K3 w - - 0 1"))).toEqual(["d6"]);
  expect(enPassantSquares(readSetup("4k3/3p4/8/3pP3/8/8/8/4K3 w - - 0 1"))).toEqual([]);
  expect(enPassantSquares(readSetup("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1"))).toEqual(["e3"]);
});

test("the start positions of Chess960 have the known numbers", () => {
  expect(backRank(518)).toBe("RNBQKBNR");
  expect(backRank(0)).toBe("BBQNNRKR");
  expect(backRank(959)).toBe("RKRNNQBB");
  const ranks = Array.from({ length: CHESS960_COUNT }, (_, number) => backRank(number));
  expect(new Set(ranks).size).toBe(CHESS960_COUNT);
  for (const rank of ranks) expect(rank).toMatch(/^(?=.*R.*K.*R)[RNBQK]{8}$/);
});

test("every start position is legal with all castling rights", () => {
  for (let number = 0; number < CHESS960_COUNT; number += 7) {
    const read = readPosition(writeSetup(startPosition(number, 959 - number)));
    expect("position" in read && read.position.castles.castlingRights.size()).toBe(4);
  }
});

test("the page's own check names the field that is wrong", () => {
  const field = (fen: string) => checkHere(fen, "").errors[0]?.field;
  expect(field(INITIAL_FEN)).toBeUndefined();
  expect(field("8/8/8/8/8/8/8/8 w - - 0 1")).toBe("board");
  expect(field("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1")).toBe("board");
  expect(field("4k3/8/8/8/8/8/8/4K3 x - - 0 1")).toBe("side");
  expect(field("4k3/8/8/8/8/8/8/4K3 w xy - 0 1")).toBe("castling");
  expect(field("4k3/8/8/8/8/8/8/4K3 w - e9 0 1")).toBe("en_passant");
  expect(field("4k3/8/8/8/8/8/8/4K3 w - - x 1")).toBe("halfmove_clock");
});
