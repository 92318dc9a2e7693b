import { expect, test } from "vitest";
import { bitOf, inOrder, magicIndex, squaresOf, swapBytes, toBits, toHex, xor } from "./bits";

const WHITE_PAWNS = "000000000000ff00";

test("bit n of a bitboard is square n", () => {
  expect(squaresOf(WHITE_PAWNS)).toEqual([8, 9, 10, 11, 12, 13, 14, 15]);
  expect(squaresOf("8000000000000001")).toEqual([0, 63]);
  expect(squaresOf("ffffffffffffffff")).toHaveLength(64);
});

test("the bit order a8 swaps the bytes, so that bit 0 is a8", () => {
  expect(inOrder(WHITE_PAWNS, "a1")).toBe(WHITE_PAWNS);
  expect(inOrder(WHITE_PAWNS, "a8")).toBe("00ff000000000000");
  expect(bitOf(56, "a8")).toBe(0);
  expect(bitOf(7, "a8")).toBe(63);
  expect(swapBytes(swapBytes("0123456789abcdef"))).toBe("0123456789abcdef");
});

test("a bit in either order is the bit of its square", () => {
  for (const order of ["a1", "a8"] as const) {
    const bits = toBits(inOrder("0000001000000400", order));
    for (const square of [10, 36]) expect((bits >> BigInt(bitOf(square, order))) & 1n).toBe(1n);
  }
});

test("hex keeps its leading zeros", () => {
  expect(toHex(0n)).toBe("0000000000000000");
  expect(xor(["0fffffffffffffff", "0000000000000001"])).toBe("0ffffffffffffffe");
});

test("the look-up masks, multiplies modulo 2⁶⁴ and shifts", () => {
  const look = magicIndex("ffff00000000ffff", "000101010101017e", "8000000000000003", 52);
  expect(look.blockers).toBe("000100000000017e");
  expect(look.product).toBe(toHex((0x000100000000017en * 0x8000000000000003n) % (1n << 64n)));
  expect(look.index).toBe(Number(toBits(look.product) >> 52n));
});
