/** The instruction and the record of a move, entry by entry. */
import type { Item } from "./selection";
import type { Instruction, MoveRecord } from "./server";
import { castlingLetters, fileName, listIndex, pieceName, squareName } from "./squares";

type Meaning = "square" | "piece" | "castling" | "file" | "none";

const COMMON: readonly [string, Meaning][] = [
  ["origin", "square"], ["piece that moves", "piece"],
  ["destination", "square"], ["captured on it", "piece"],
  ["castling before", "castling"], ["castling after", "castling"],
  ["en passant before", "file"], ["en passant after", "file"],
];
const CASTLING: readonly [string, Meaning][] = [
  ["rook's origin", "square"], ["rook", "piece"],
  ["rook's destination", "square"], ["captured by the rook", "piece"],
];
const EN_PASSANT: readonly [string, Meaning][] = [
  ["captured pawn's square", "square"], ["captured pawn", "piece"],
  ["not used", "none"], ["not used", "none"],
];
const PROMOTION: readonly [string, Meaning][] = [
  ["not used", "none"], ["not used", "none"], ["not used", "none"], ["not used", "none"],
  ["new piece", "piece"],
];

/** The names of the entries: 8 for most moves, 12 or 13 for the special ones. */
function entriesOf(instruction: Instruction): readonly [string, Meaning][] {
  if (instruction.length === 13) return [...COMMON, ...PROMOTION];
  if (instruction.length !== 12) return COMMON;
  return [...COMMON, ...(instruction[10] === null ? EN_PASSANT : CASTLING)];
}

function meaningOf(value: number, meaning: Meaning): string {
  switch (meaning) {
    case "square": return squareName(listIndex(value));
    case "piece": return value === 0 ? "none" : pieceName(value);
    case "castling": return castlingLetters(value);
    case "file": return value < 0 ? "none" : `${fileName(value)}-file`;
    case "none": return "";
  }
}

export function instructionItems(instruction: Instruction): Item[] {
  const entries = entriesOf(instruction);
  return instruction.map((value, index) => {
    const [name, meaning] = entries[index] ?? ["", "none"];
    const nothing = meaning === "none" ? "" : "no change";
    const text = value === null ? nothing : meaningOf(value, meaning);
    // A piece belongs to the square before it.
    const at = meaning === "piece" ? instruction[index === 12 ? 2 : index - 1] : value;
    const hasSquare = meaning === "square" || (meaning === "piece" && value !== 0);
    return {
      text: [String(index), String(value), name, text],
      label: `entry ${index}: ${value}, ${name}${text ? `, ${text}` : ""}`,
      squares: hasSquare && typeof at === "number" ? [listIndex(at)] : [],
    };
  });
}

/** The members of a record that are not bitboards. */
export function recordItems(record: MoveRecord): Item[] {
  const rights: Item[] = ([
    ["white_king_side_castle", "White short"], ["white_queen_side_castle", "White long"],
    ["black_king_side_castle", "Black short"], ["black_queen_side_castle", "Black long"],
  ] as const).map(([name, right]) => row(name, record[name], `${right} before the move`));
  return [
    row("captured_side", record.captured_side, "side of the captured piece"),
    row("captured_piece", record.captured_piece, "its kind"),
    row("castle_type", record.castle_type, "kind of castling"),
    row("score", record.score, "static evaluation after the move, in centipawns for White"),
    ...rights,
  ];
}

const row = (name: string, value: string | number | boolean | null, meaning: string): Item => ({
  text: [name, String(value), meaning], label: `${name}: ${value}, ${meaning}`, squares: [],
});
