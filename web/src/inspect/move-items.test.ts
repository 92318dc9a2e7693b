import { expect, test } from "vitest";
import { instructionItems } from "./move-items";
import type { Instruction } from "./server";

const squares = (instruction: Instruction) =>
  instructionItems(instruction).map((item) => item.squares[0] ?? null);
const texts = (instruction: Instruction) => instructionItems(instruction).map(({ text }) => text);

test("an ordinary instruction has eight entries with list squares", () => {
  const instruction = [52, 1, 36, 0, null, null, null, null];
  expect(squares(instruction)).toEqual([12, 12, 28, null, null, null, null, null]);
  expect(texts(instruction).slice(0, 5)).toEqual([
    ["0", "52", "origin", "e2"], ["1", "1", "piece that moves", "white pawn"],
    ["2", "36", "destination", "e4"], ["3", "0", "captured on it", "none"],
    ["4", "null", "castling before", "no change"],
  ]);
});

test("castling has the rook's squares", () => {
  const instruction = [60, 6, 62, 0, 15, 12, null, null, 63, 4, 61, 0];
  expect(squares(instruction).slice(8)).toEqual([7, 7, 5, null]);
  expect(texts(instruction)[5]).toEqual(["5", "12", "castling after", "kq"]);
});

test("en passant has the captured pawn's square", () => {
  const instruction = [28, 1, 19, 0, null, null, 3, -1, 27, 7, null, null];
  expect(squares(instruction).slice(8)).toEqual([35, 35, null, null]);
  expect(texts(instruction).slice(6, 8)).toEqual([
    ["6", "3", "en passant before", "d-file"], ["7", "-1", "en passant after", "none"],
  ]);
});

test("a promotion has the new piece as its thirteenth entry", () => {
  const instruction = [8, 1, 1, 8, null, null, null, null, null, null, null, null, 5];
  expect(squares(instruction).at(-1)).toBe(57);
  expect(texts(instruction).at(-1)).toEqual(["12", "5", "new piece", "white queen"]);
});
