/** The Huffman code of a board and the packed form, taken apart. */
import { castlingLetters, fileName, listIndex, pieceName, type Square } from "./squares";

/** The codes of the piece states 0 (empty), 1–6 (White's) and 7–12 (Black's). */
export const CODES: readonly string[] = [
  "0", "100", "11001", "11000", "11110", "110111", "110110",
  "101", "11100", "11111", "11101", "110101", "110100",
];

const STATE_OF: ReadonlyMap<string, number> =
  new Map(CODES.map((code, state) => [code, state] as const));

export interface Code {
  readonly square: Square;
  readonly state: number;
  readonly code: string;
  /** The place of its first bit. */
  readonly start: number;
}

/** Splits the code of a board into the codes of its squares, in scan order: a8, b8 … h1. */
export function boardCodes(board: string): Code[] {
  const codes: Code[] = [];
  let start = 0;
  for (let end = 1; end <= board.length; end++) {
    const code = board.slice(start, end);
    const state = STATE_OF.get(code);
    if (state === undefined) continue;
    codes.push({ square: listIndex(codes.length), state, code, start });
    start = end;
  }
  return codes;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The bits of a base64url text: six for each character, cut to whole bytes. */
export function base64Bits(text: string): string {
  const bits = [...text].map((character) =>
    ALPHABET.indexOf(character).toString(2).padStart(6, "0")).join("");
  return bits.slice(0, bits.length - (bits.length % 8));
}

/** The codes with a bit in this stretch. */
export const codesWithin = (codes: readonly Code[], start: number, end: number): Code[] =>
  codes.filter((code) => code.start < end && code.start + code.code.length > start);

interface PackedPart {
  readonly name: string;
  readonly bits: string;
  readonly meaning: string;
}

/** The parts of the packed form. `boardBits` is the length of the code of the squares. */
export function packedParts(packed: string, boardBits: number, length: number): PackedPart[] {
  const bits = base64Bits(packed);
  const stateAt = 4 + boardBits;
  const hasEnPassant = bits[stateAt + 1] === "1";
  let at = 0;
  const take = (count: number) => bits.slice(at, (at += count));
  const part = (name: string, count: number, meaning: (bits: string) => string): PackedPart => {
    const taken = take(count);
    return { name, bits: taken, meaning: meaning(taken) };
  };
  const number = (text: string) => parseInt(text, 2);
  const parts = [
    part("version", 4, (text) => `layout ${number(text)}`),
    part("squares", boardBits, (text) => `${text.length} bits, a8 to h1`),
    part("turn", 1, (text) => (text === "1" ? "White to move" : "Black to move")),
    part("en passant", 1, (text) => (text === "1" ? "possible" : "not possible")),
    part("its file", 3, (text) => (hasEnPassant ? fileName(number(text)) : "none")),
    part("castling KQkq", 4, (text) => castlingLetters(number([...text].reverse().join("")))),
  ];
  const rights = [..."KQkq"].filter((_, index) => bits[stateAt + 5 + index] === "1");
  const isStandard = bits[at] === "0";
  parts.push(part("rook files", 1, () => (isStandard ? "standard" : "given next")));
  if (!isStandard) {
    for (const right of rights) {
      parts.push(part(`rook of ${right}`, 3, (text) => `${fileName(number(text))}-file`));
    }
  }
  const padding = bits.slice(length);
  return padding
    ? [...parts, { name: "padding", bits: padding, meaning: "fills the last byte" }]
    : parts;
}

/** What a code says, for reading. */
export const codeMeaning = ({ state, code }: Code): string =>
  `${code}, ${pieceName(state)}, ${code.length} ${code.length === 1 ? "bit" : "bits"}`;

/** Where its bits are in the code of the board, counted from 0. */
export const codePlace = ({ start, code }: Code): string =>
  code.length === 1 ? `at ${start}` : `at ${start} to ${start + code.length - 1}`;
