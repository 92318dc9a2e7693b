import { expect, test } from "vitest";
import { base64Bits, boardCodes, codePlace, CODES, codesWithin, packedParts } from "./huffman";

/** The start position: rank 8 with states 7–12, four empty ranks, rank 1 with states 1–6. */
const BACK = [4, 2, 3, 5, 6, 3, 2, 4];
const START = [
  ...BACK.map((state) => state + 6), ...Array<number>(8).fill(7), ...Array<number>(32).fill(0),
  ...Array<number>(8).fill(1), ...BACK,
].map((state) => CODES[state]).join("");
const START_PACKED = "HvP66f522220AAAAAkkkk9nG-2M-h4A";

test("the codes of the start position add up to 164 bits and cover all 64 squares", () => {
  const codes = boardCodes(START);
  expect(codes.reduce((sum, { code }) => sum + code.length, 0)).toBe(164);
  expect(new Set(codes.map(({ square }) => square)).size).toBe(64);
  expect(codes.map(({ code }) => code).join("")).toBe(START);
  expect(codes[0]).toMatchObject({ square: 56, state: 10, code: "11101", start: 0 });
  expect(codes.at(-1)).toMatchObject({ square: 7, state: 4, code: "11110", start: 159 });
  expect([codes[16], codes[63]].map((code) => code && codePlace(code)))
    .toEqual(["at 66", "at 159 to 163"]);
});

test("no code begins with another one", () => {
  for (const code of CODES) {
    expect(CODES.filter((other) => other.startsWith(code))).toEqual([code]);
  }
});

test("the parts of the packed form are its bits, from the version to the padding", () => {
  const parts = packedParts(START_PACKED, 164, 178);
  expect(parts.map(({ bits }) => bits).join("")).toBe(base64Bits(START_PACKED));
  expect(parts[1]?.bits).toBe(START);
  expect(parts.map(({ name, meaning }) => `${name}: ${meaning}`)).toEqual([
    "version: layout 1", "squares: 164 bits, a8 to h1", "turn: White to move",
    "en passant: not possible", "its file: none", "castling KQkq: KQkq", "rook files: standard",
    "padding: fills the last byte",
  ]);
});

test("en passant and rooks on other files have their bits", () => {
  const enPassant = packedParts("HvP66f522ltCgWAAAJJEk9nG-2M-34A", 164, 178);
  expect(enPassant.find(({ name }) => name === "its file")?.meaning).toBe("d");
  const chess960 = packedParts("F00AAAAAAAAHsmwAsEA", 86, 106);
  expect(chess960.slice(5).map(({ name, bits, meaning }) => `${name} ${bits} ${meaning}`)).toEqual([
    "castling KQkq 0101 Qq", "rook files 1 given next", "rook of Q 000 a-file",
    "rook of q 001 b-file", "padding 000000 fills the last byte",
  ]);
});

test("a byte or character of the packed form means the squares of its bits", () => {
  const codes = boardCodes(START);
  // The first byte is the version and the first four bits of the rook on a8.
  expect(codesWithin(codes, -4, 4).map(({ square }) => square)).toEqual([56]);
  const bytes = Array.from({ length: 23 }, (_, byte) => byte * 8 - 4);
  const all = bytes.flatMap((start) => codesWithin(codes, start, start + 8));
  expect(new Set(all.map(({ square }) => square)).size).toBe(64);
});
