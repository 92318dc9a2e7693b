import { expect, test } from "vitest";
import {
  bitsOf, moveFields, nibbleFields, pieceByteFields, rightSquares, specialFields, stateFields,
} from "./bit-fields";
import type { PositionAnswer } from "./server";
import { squareName } from "./squares";

const meanings = (code: number) => moveFields(code).map(({ meaning }) => meaning).join(", ");

/** The members that the fields read, of 1. e4 e6 2. e5 d5. */
const POSITION = {
  shredder_fen: "rnbqkbnr/ppp2ppp/4p3/3pP3/8/8/PPPP1PPP/RNBQKBNR w HAha d6 0 3",
  views: {
    list: [...Array<number>(64).fill(0), 60, 4, 15, 3, true],
    bitboards: { en_passant_position: "0000080000000000" },
    special: 127,
    state: { bits: 495, turn: "white" },
  },
} as unknown as PositionAnswer;

test("the fields of a move code rebuild the code and the move", () => {
  for (const [code, uci] of [[12737, "e2e4"], [1312, "b1c3"], [4288, "e1e2"]] as const) {
    const fields = moveFields(code);
    expect(parseInt(bitsOf(fields), 2)).toBe(code);
    expect(fields.slice(0, 2).map(({ squares }) => squareName(squares[0]!)).join("")).toBe(uci);
  }
});

test("the lowest bits of a code name the kind of the move", () => {
  const code = (from: number, to: number, kind: number) => (from << 10) | (to << 4) | kind;
  expect(meanings(12737)).toBe("12 = e2, 28 = e4, no, no, double pawn step");
  expect(meanings(code(4, 6, 2))).toBe("4 = e1, 6 = g1, no, no, castling short");
  expect(meanings(code(4, 2, 3))).toBe("4 = e1, 2 = c1, no, no, castling long");
  expect(meanings(code(36, 43, 5))).toBe("36 = e5, 43 = d6, no, yes, en passant");
  expect(meanings(code(48, 57, 12))).toBe("48 = a7, 57 = b8, yes, yes, promotion to a knight");
  expect(meanings(code(48, 56, 11))).toBe("48 = a7, 56 = a8, yes, no, promotion to a queen");
});

test("the nine-bit state and the special byte have the same facts in other orders", () => {
  const state = stateFields(POSITION);
  expect(parseInt(bitsOf(state), 2)).toBe(495);
  expect(state.map(({ name }) => name)).toEqual(
    ["K", "Q", "k", "q", "file", "en passant", "turn"]);
  const special = specialFields(POSITION);
  expect(parseInt(bitsOf(special), 2)).toBe(127);
  expect(special.map(({ name }) => name)).toEqual(["file", "en passant", "q", "k", "Q", "K"]);
  expect(special[0]).toMatchObject({ meaning: "d-file", squares: [43] });
});

test("a castling right means its king and its rook", () => {
  expect([...rightSquares(POSITION)]).toEqual(
    [["K", [4, 7]], ["Q", [4, 0]], ["k", [60, 63]], ["q", [60, 56]]]);
  const chess960 = { ...POSITION, shredder_fen: "1r2k3/8/8/8/8/8/8/RN2K3 b Ab - 0 1" };
  expect([...rightSquares(chess960)]).toEqual([["Q", [4, 0]], ["q", [60, 57]]]);
  expect(rightSquares({ ...POSITION, shredder_fen: "4k3/8/8/8/8/8/8/4K3 w - - 0 1" }).size).toBe(0);
});

test("piece bytes and nibbles are taken apart bit by bit", () => {
  const set = pieceByteFields(11, 21).filter(({ bits }) => bits === "1");
  expect(set.map(({ name }) => name)).toEqual(["knight", "has moved", "white"]);
  expect(nibbleFields(5, 21).map(({ meaning }) => meaning)).toEqual(["knight", "White"]);
  expect(nibbleFields(0, 21).map(({ meaning }) => meaning)).toEqual(["empty", "none"]);
});
