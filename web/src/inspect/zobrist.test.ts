import { expect, test } from "vitest";
import { xor } from "./bits";
import type { ZobristNumber } from "./server";
import { keyChange, squaresOfNumber } from "./zobrist";

/** The numbers of the key: successive outputs of SplitMix64. */
const VALUES = (() => {
  const word = (value: bigint) => BigInt.asUintN(64, value);
  let state = 0x6b696269747a6572n;
  return Array.from({ length: 793 }, () => {
    state = word(state + 0x9e3779b97f4a7c15n);
    let z = word((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = word((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return (z ^ (z >> 31n)).toString(16).padStart(16, "0");
  });
})();

const number = (value: number): ZobristNumber =>
  ({ number: value, value: VALUES[value]!, meaning: "" });

const BACK = [4, 2, 3, 5, 6, 3, 2, 4];
const START = [
  ...BACK.map((state, file) => 64 * (state - 1) + file),
  ...BACK.map((_, file) => 8 + file),
  ...BACK.map((_, file) => 64 * 6 + 48 + file),
  ...BACK.map((state, file) => 64 * (state + 5) + 56 + file),
  768, 775, 776, 783,
].map(number);
const START_KEY = "4fbae928640e637c";

test("the exclusive or of the numbers is the key", () => {
  expect(xor(START.map(({ value }) => value))).toBe(START_KEY);
});

test("the numbers that a move changes lead from one key to the next", () => {
  const after = [...START.filter(({ number: known }) => known !== 12), number(28), number(792)];
  const change = keyChange({ key: START_KEY, numbers: START }, after);
  expect(change.out.map((changed) => changed.number)).toEqual([12]);
  expect(change.in.map((changed) => changed.number)).toEqual([28, 792]);
  const changed = [...change.out, ...change.in].map(({ value }) => value);
  expect(xor([START_KEY, ...changed])).toBe("16b0014c2f7a317d");
});

test("a number means its square, rook or en passant square", () => {
  expect(squaresOfNumber(64 * 7 + 62, "white")).toEqual([62]);
  expect(squaresOfNumber(775, "white")).toEqual([7]);
  expect(squaresOfNumber(777, "white")).toEqual([57]);
  expect(squaresOfNumber(787, "white")).toEqual([43]);
  expect(squaresOfNumber(787, "black")).toEqual([19]);
  expect(squaresOfNumber(792, "black")).toEqual([]);
});
