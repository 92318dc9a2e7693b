/** The look-up of a slider's attacks, step by step, from the server's view `magics`. */
import { parseSquare } from "chessops/util";
import { binary, magicIndex } from "./bits";
import type { Magic } from "./server";
import type { Square } from "./squares";

export const squareOf = ({ square }: Magic): Square => parseSquare(square) ?? 0;

interface Lookup {
  readonly blockers: string;
  readonly product: string;
  /** The bits of the product that the shift leaves. */
  readonly indexBits: string;
  readonly index: number;
}

export function lookUp({ relevant, magic, shift }: Magic, occupied: string): Lookup {
  const { blockers, product, index } = magicIndex(occupied, relevant, magic, shift);
  return { blockers, product, index, indexBits: binary(index, 64 - shift) };
}
