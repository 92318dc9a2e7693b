/** The forms that have an entry for each square or piece, as items to choose. */
import { rightSquares } from "./bit-fields";
import { binary, squaresOf } from "./bits";
import type { Item } from "./selection";
import type { PositionAnswer, Views } from "./server";
import {
  castlingLetters, fileName, listIndex, pieceName, SQUARES, squareName, type Square,
} from "./squares";

/** The state of the piece on a square. */
export const stateAt = (views: Views, square: Square): number =>
  Number(views.list[listIndex(square)]);

export const pieceAt = (views: Views, square: Square): string => pieceName(stateAt(views, square));

export const pieceItems = ({ pieces }: Views): Item[] =>
  pieces.map(({ color, type, position }) => ({
    text: [String(position), squareName(position), `${color} ${type}`],
    label: `${position}, ${squareName(position)}: ${color} ${type}`, squares: [position],
  }));

const emptyKind = (isEmpty: boolean) => (isEmpty ? { kind: "empty" } : {});

/** One number for each square, a1 first. */
export const byteItems = (views: Views): Item[] =>
  views.piece_bytes.map((byte, square) => {
    const piece = pieceAt(views, square) + (byte & 2 ? ", has moved" : "");
    return {
      text: String(byte), squares: [square], ...emptyKind(byte === 0),
      label: `${squareName(square)}: ${byte} = ${binary(byte, 8)}, ${piece}`,
    };
  });

/** The nibble of a square, a hex digit. */
export const nibbleAt = (nibbles: string, square: Square): number =>
  parseInt(nibbles[square ^ 1] ?? "0", 16);

/** One hex digit for each square, as the bytes are written: the higher square of a byte first. */
export const nibbleItems = (views: Views): Item[] =>
  [...views.nibbles].map((digit, place) => {
    const square = place ^ 1;
    const half = square & 1 ? "high" : "low";
    return {
      text: digit, squares: [square], ...emptyKind(digit === "0"),
      label: `byte ${place >> 1}, ${half} half, ${squareName(square)}: ` +
        `${digit} = ${binary(parseInt(digit, 16), 4)}, ${pieceAt(views, square)}`,
    };
  });

/** The first 64 entries of the list: the squares from a8 to h1. */
export const listSquareItems = (views: Views): Item[] =>
  SQUARES.map((index) => {
    const square = listIndex(index);
    const state = Number(views.list[index]);
    return {
      text: String(state), squares: [square], ...emptyKind(state === 0),
      label: `entry ${index}, ${squareName(square)}: ${state}, ${pieceName(state)}`,
    };
  });

/** Entries 64 to 68 of the list. */
export function listStateItems(position: PositionAnswer): Item[] {
  const { list, bitboards } = position.views;
  const king = (index: number) => listIndex(Number(list[index]));
  const file = Number(list[67]);
  const rows: [number, string, readonly Square[]][] = [
    [64, `white king on ${squareName(king(64))}`, [king(64)]],
    [65, `black king on ${squareName(king(65))}`, [king(65)]],
    [66, `castling ${castlingLetters(Number(list[66]))}`,
      [...new Set([...rightSquares(position).values()].flat())]],
    [67, file < 0 ? "no en passant" : `en passant on the ${fileName(file)}-file`,
      squaresOf(bitboards.en_passant_position)],
    [68, list[68] ? "White to move" : "Black to move", []],
  ];
  return rows.map(([index, meaning, squares]) => ({
    text: [String(index), String(list[index]), meaning],
    label: `entry ${index}: ${list[index]}, ${meaning}`, squares,
  }));
}

/** The placement field of a FEN: a letter is a piece, a digit is that many empty squares. */
export function placementItems(fen: string): Item[] {
  let index = 0;
  return [...(fen.split(" ")[0] ?? "")].map((text) => {
    if (text === "/") return { text, label: `end of rank ${9 - index / 8}`, squares: [] };
    const count = /\d/.test(text) ? Number(text) : 1;
    const squares = Array.from({ length: count }, (_, place) => listIndex(index + place));
    index += count;
    const name = squareName(squares[0] ?? 0);
    const empty = count === 1 ? `${name} is empty` : `${count} empty squares from ${name}`;
    const side = text < "a" ? "White" : "Black";
    const piece = `${FEN_PIECES[text.toLowerCase()]} of ${side} on ${name}`;
    return { text, label: `${text}: ${/\d/.test(text) ? empty : piece}`, squares };
  });
}

const FEN_PIECES: Readonly<Record<string, string>> = {
  p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king",
};

/** The five other fields of a FEN. */
export function fenFieldItems(position: PositionAnswer): Item[] {
  const [, turn, castling, enPassant, clock, number] = position.fen.split(" ");
  const rights = [...new Set([...rightSquares(position).values()].flat())];
  const target = squaresOf(position.views.bitboards.en_passant_position);
  const rows: [string, string, readonly Square[]][] = [
    [turn ?? "", turn === "w" ? "White to move" : "Black to move", []],
    [castling ?? "", castling === "-" ? "no castling right" : "castling rights", rights],
    [enPassant ?? "", enPassant === "-" ? "no en passant" : "en passant square", target],
    [clock ?? "", "half-moves since the last capture or pawn move", []],
    [number ?? "", "number of the move", []],
  ];
  return rows.map(([text, meaning, squares]) => ({
    text: [text, meaning], label: `${text}: ${meaning}`, squares,
  }));
}
