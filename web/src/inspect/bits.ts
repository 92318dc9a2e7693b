/** Bitboards and bit fields: hex digits, the bits of a number, and the squares that they mean. */
import { SQUARES, type Square } from "./squares";

/** The square of bit 0. In the order `a8`, the bytes of a bitboard are swapped. */
export type BitOrder = "a1" | "a8";

export const toBits = (hex: string): bigint => BigInt(`0x${hex}`);

export const toHex = (bits: bigint): string => bits.toString(16).padStart(16, "0");

/** The bitboard in the other bit order: its bytes from the last to the first. */
export const swapBytes = (hex: string): string => (hex.match(/../g) ?? []).reverse().join("");

/** A bitboard of the order `a1`, as this order writes it. */
export const inOrder = (hex: string, order: BitOrder): string =>
  order === "a1" ? hex : swapBytes(hex);

/** The bit of a square, and the square of a bit. */
export const bitOf = (square: Square, order: BitOrder): number =>
  order === "a1" ? square : square ^ 56;

/** The squares of a bitboard of the order `a1`, by rising number. */
export function squaresOf(hex: string): Square[] {
  const bits = toBits(hex);
  return SQUARES.filter((square) => (bits >> BigInt(square)) & 1n);
}

/** A number as binary digits, the highest bit first. */
export const binary = (value: number, width: number): string =>
  value.toString(2).padStart(width, "0");

/** The exclusive or of keys, as hex. */
export const xor = (keys: readonly string[]): string =>
  toHex(keys.reduce((sum, key) => sum ^ toBits(key), 0n));

const FACTOR_MASK = (1n << 64n) - 1n;

/** The look-up of a magic bitboard, step by step. All values are of the bit order `a1`. */
export function magicIndex(occupied: string, relevant: string, magic: string, shift: number) {
  const blockers = toBits(occupied) & toBits(relevant);
  const product = (blockers * toBits(magic)) & FACTOR_MASK;
  return {
    blockers: toHex(blockers), product: toHex(product), index: Number(product >> BigInt(shift)),
  };
}
