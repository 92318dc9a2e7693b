/** The forms of the panel: names, groups, explanations and views. */
import type { Component } from "solid-js";
import { FenForm, ListForm, NibblesForm, PieceBytesForm, PieceListForm } from "./BoardForms";
import { BitboardsForm, ChecksForm, SevenBoardsForm } from "./BitboardForms";
import { HuffmanForm } from "./HuffmanForm";
import { MagicForm } from "./MagicForm";
import { InstructionForm, MoveCodeForm, RecordForm } from "./MoveForms";
import type { Need } from "./requests";
import { SpecialForm, StateForm } from "./StateForms";
import { ZobristForm } from "./ZobristForm";

export interface Form {
  readonly id: string;
  readonly name: string;
  readonly group: "Position" | "Storage" | "Move" | "Attacks";
  readonly size: string;
  /** What it is and why programs use it. */
  readonly text: string;
  readonly needs: readonly Need[];
  readonly view: Component;
  /** It shows bitboards, whose bits can be counted from a1 or from a8. */
  readonly hasBitboards?: true;
}

export const FORMS: readonly Form[] = [
  {
    id: "fen", name: "FEN", group: "Position", size: "text, up to about 90 characters", needs: [],
    text: "Forsyth–Edwards Notation writes the board from a8 to h1, then the side to move, "
      + "castling rights, en passant square, clock and move number. Programs exchange positions "
      + "in it. Shredder-FEN names the files of the castling rooks, as Chess960 needs.",
    view: FenForm,
  },
  {
    id: "bitboards", name: "Bitboards", group: "Position", size: "64 bits each", needs: [],
    text: "A bitboard is a 64-bit number with one bit for each square. Here each kind of piece of "
      + "each side has one, and the occupancy has three. One instruction works on all squares at "
      + "once: “white pawns AND rank 7” finds the pawns that are about to promote.",
    view: BitboardsForm, hasBitboards: true,
  },
  {
    id: "boards", name: "Seven bitboards", group: "Position", size: "7 × 64 bits = 56 bytes",
    needs: [],
    text: "Six bitboards hold the kinds of pieces of both sides, and one holds White's pieces. "
      + "White's rooks are “rook AND white”, Black's are “rook AND NOT white”. This takes fewer "
      + "bytes than twelve bitboards.",
    view: SevenBoardsForm, hasBitboards: true,
  },
  {
    id: "pieces", name: "Piece list", group: "Position", size: "at most 32 entries", needs: [],
    text: "The pieces with their squares as numbers, by rising square (a1 is 0, h8 is 63). A loop "
      + "over the pieces visits no empty square.",
    view: PieceListForm,
  },
  {
    id: "piece-bytes", name: "Piece bytes", group: "Position", size: "64 bytes", needs: [],
    text: "A mailbox board: one byte for each square. Bit 0 is set for White, bit 1 if the piece "
      + "has moved, and each kind has a bit of its own, so one AND answers a question such as "
      + "“bishop or queen?”.",
    view: PieceBytesForm,
  },
  {
    id: "nibbles", name: "Nibbles", group: "Position", size: "64 × 4 bits = 32 bytes", needs: [],
    text: "Four bits (a nibble) for each square: three for the kind and one for the colour. Two "
      + "squares share a byte. Programs store positions so where each must have the same size.",
    view: NibblesForm,
  },
  {
    id: "list", name: "69-entry list", group: "Position", size: "69 numbers", needs: [],
    text: "An array with the squares from a8 to h1, the squares of both kings, the castling "
      + "rights, the en passant file and the side to move. It is easy to read, and the kings are "
      + "found without a search.",
    view: ListForm,
  },
  {
    id: "state", name: "Nine-bit state", group: "Storage", size: "9 bits", needs: [],
    text: "What the board alone does not show: castling rights, en passant and the side to move. "
      + "Nine bits are enough: a set bit means that the right is left. The two clocks are "
      + "beside them.",
    view: StateForm,
  },
  {
    id: "special", name: "Special byte", group: "Storage", size: "8 bits", needs: [],
    text: "Castling rights and en passant in one byte. A program keeps the byte of each position "
      + "to take a move back, since a move does not tell which rights it has ended.",
    view: SpecialForm,
  },
  {
    id: "huffman", name: "Huffman code", group: "Storage", size: "164 bits at the start", needs: [],
    text: "A prefix code: what is frequent has a short code. An empty square takes 1 bit, a pawn "
      + "3, a king 6. No code begins with another one, so nothing has to separate them. Databases "
      + "store positions so, because most take less than 24 bytes.",
    view: HuffmanForm,
  },
  {
    id: "zobrist", name: "Zobrist key", group: "Storage", size: "64 bits", needs: ["keyBefore"],
    text: "Each piece on each square, castling right, en passant file and the side to move has a "
      + "fixed random number. The key is their exclusive or (XOR, written ^). A move changes few "
      + "of them, so programs update the key, and find known positions by it in a hash table.",
    view: ZobristForm,
  },
  {
    id: "move-code", name: "Move code", group: "Move", size: "16 bits",
    needs: ["lastMove", "legalMoves"],
    text: "A move in 16 bits: six for each square and four for its kind. Programs make lists of "
      + "millions of moves in a second, so a move must be small and must need no look-up.",
    view: MoveCodeForm,
  },
  {
    id: "instruction", name: "Instruction", group: "Move", size: "8, 12 or 13 entries",
    needs: ["lastMove"],
    text: "A reversible change of the 69-entry list. It has what was there before and what is "
      + "there after, so a program can play the move and take it back. Squares count from a8 = 0.",
    view: InstructionForm,
  },
  {
    id: "record", name: "Move record", group: "Move", size: "13 members", needs: ["lastMove"],
    text: "What a bitboard program keeps of a played move: bitboards of its squares and of what it "
      + "captured, and the castling flags as they were before it.",
    view: RecordForm, hasBitboards: true,
  },
  {
    id: "magics", name: "Magic bitboards", group: "Attacks", size: "one look-up", needs: [],
    text: "The attacks of a bishop or rook depend on the pieces in its way. A multiplication by a "
      + "“magic” factor gathers the bits of these pieces at the top, and a shift makes them an "
      + "index into a table with the attacks.",
    view: MagicForm, hasBitboards: true,
  },
  {
    id: "checks", name: "Checks and pins", group: "Attacks", size: "20 × 64 bits", needs: [],
    text: "The pieces that give check, the squares where a move answers it, and the rays of pinned "
      + "pieces. A legal move of another piece than the king ends on the check mask, and a pinned "
      + "piece stays on its ray.",
    view: ChecksForm, hasBitboards: true,
  },
];

export const GROUPS: readonly Form["group"][] = ["Position", "Storage", "Move", "Attacks"];
