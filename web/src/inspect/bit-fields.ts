/** Numbers taken apart into bit fields, from the highest bit to the lowest. */
import { binary, squaresOf } from "./bits";
import type { PositionAnswer } from "./server";
import { fileName, listIndex, squareName, type Square } from "./squares";

export interface Field {
  readonly name: string;
  readonly bits: string;
  readonly meaning: string;
  readonly squares: readonly Square[];
}

/** The bits `low` to `low + width − 1` of a number. */
const take = (value: number, low: number, width: number) => (value >> low) & ((1 << width) - 1);

/** The bits of all fields, which are those of the number. */
export const bitsOf = (fields: readonly Field[]): string =>
  fields.map(({ bits }) => bits).join("");

const LETTERS = "KQkq";

/** The king and the rook of each castling right that is left, by its letter. */
export function rightSquares({ shredder_fen, views }: PositionAnswer): Map<string, Square[]> {
  const rights = new Map<string, Square[]>();
  for (const letter of (shredder_fen.split(" ")[2] ?? "").replace("-", "")) {
    const isWhite = letter < "a";
    const king = listIndex(Number(views.list[isWhite ? 64 : 65]));
    const rook = "abcdefgh".indexOf(letter.toLowerCase()) + (isWhite ? 0 : 56);
    const name = rook > king ? "K" : "Q";
    rights.set(isWhite ? name : name.toLowerCase(), [king, rook]);
  }
  return rights;
}

const RIGHT_NAMES: Readonly<Record<string, string>> = {
  K: "White short", Q: "White long", k: "Black short", q: "Black long",
};

/** One field for each castling right. `letters` begins with the right of the highest bit. */
function rightFields(
  position: PositionAnswer, value: number, low: number, letters: string,
): Field[] {
  const squares = rightSquares(position);
  return [...letters].map((letter, index) => {
    const bit = low + letters.length - 1 - index;
    return {
      name: letter, bits: binary(take(value, bit, 1), 1), squares: squares.get(letter) ?? [],
      meaning: RIGHT_NAMES[letter] ?? "?",
    };
  });
}

const enPassantSquares = ({ views }: PositionAnswer) =>
  squaresOf(views.bitboards.en_passant_position);

const enPassantFields = (position: PositionAnswer, value: number, flag: number, file: number) => {
  const squares = enPassantSquares(position);
  const isPossible = take(value, flag, 1) === 1;
  const fileField: Field = {
    name: "file", bits: binary(take(value, file, 3), 3), squares,
    meaning: isPossible ? `${fileName(take(value, file, 3))}-file` : "none",
  };
  const flagField: Field = {
    name: "en passant", bits: isPossible ? "1" : "0", squares,
    meaning: isPossible ? "possible" : "not possible",
  };
  return [fileField, flagField];
};

/** The nine-bit state: castling as KQkq, en passant file and flag, side to move. */
export function stateFields(position: PositionAnswer): Field[] {
  const { bits, turn } = position.views.state;
  return [
    ...rightFields(position, bits, 5, LETTERS),
    ...enPassantFields(position, bits, 1, 2),
    {
      name: "turn", bits: binary(take(bits, 0, 1), 1), squares: [],
      meaning: turn === "white" ? "White to move" : "Black to move",
    },
  ];
}

/** The special byte: en passant file and flag, castling with White short in bit 0. */
export function specialFields(position: PositionAnswer): Field[] {
  const { special } = position.views;
  return [
    ...enPassantFields(position, special, 4, 5),
    ...rightFields(position, special, 0, [...LETTERS].reverse().join("")),
  ];
}

const BYTE_NAMES = ["king", "queen", "rook", "bishop", "knight", "pawn", "has moved", "white"];

/** The bits of a piece byte. */
export function pieceByteFields(byte: number, square: Square): Field[] {
  return [...binary(byte, 8)].map((bit, index) => ({
    name: BYTE_NAMES[index] ?? "", bits: bit, meaning: bit === "1" ? "yes" : "no",
    squares: [square],
  }));
}

const NIBBLE_KINDS = ["empty", "pawn", "knight", "bishop", "rook", "queen", "king"];

/** A nibble: three bits of the kind, one of the colour. */
export function nibbleFields(nibble: number, square: Square): Field[] {
  const kind = nibble >> 1;
  const colour = nibble & 1 ? "White" : "Black";
  return [
    { name: "kind", bits: binary(kind, 3), meaning: NIBBLE_KINDS[kind] ?? "?", squares: [square] },
    {
      name: "colour", bits: binary(nibble & 1, 1), meaning: kind ? colour : "none",
      squares: [square],
    },
  ];
}

const PROMOTIONS = ["knight", "bishop", "rook", "queen"];
const QUIET = ["quiet", "double pawn step", "castling short", "castling long"];

function detailMeaning(code: number): string {
  const detail = take(code, 0, 2);
  if (take(code, 3, 1)) return `promotion to a ${PROMOTIONS[detail]}`;
  if (take(code, 2, 1)) return detail === 1 ? "en passant" : "none";
  return QUIET[detail] ?? "?";
}

/** The 16-bit code of a move. */
export function moveFields(code: number): Field[] {
  const from = take(code, 10, 6);
  const to = take(code, 4, 6);
  const field = (name: string, low: number, width: number, squares: Square[]) => ({
    name, bits: binary(take(code, low, width), width), squares,
  });
  const square = (value: number) => `${value} = ${squareName(value)}`;
  const yes = (bit: number) => (take(code, bit, 1) ? "yes" : "no");
  return [
    { ...field("from", 10, 6, [from]), meaning: square(from) },
    { ...field("to", 4, 6, [to]), meaning: square(to) },
    { ...field("promotion", 3, 1, [to]), meaning: yes(3) },
    { ...field("capture", 2, 1, [to]), meaning: yes(2) },
    { ...field("detail", 0, 2, [from, to]), meaning: detailMeaning(code) },
  ];
}
