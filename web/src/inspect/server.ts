/** The responses that the panel shows. openapi.yaml and the formats page describe all members. */
import type { Color, Role } from "chessops/types";

/** A bitboard or key: 16 hex digits. Bitboards have a1 as bit 0, the order of the requests. */
export type Hex = string;

type Kind = "pawns" | "knights" | "bishops" | "rooks" | "queens" | "kings";
export type CastleFlag = `${Color}_${"king" | "queen"}_side_castle`;

export type Bitboards =
  & Readonly<Record<`${Color}_${Kind}` | "all_white" | "all_black" | "all_pieces", Hex>>
  & Readonly<Record<CastleFlag, boolean>>
  & { readonly side: Color; readonly opponent_side: Color; readonly en_passant_position: Hex };

interface Pins {
  readonly white: readonly Hex[];
  readonly black: readonly Hex[];
}

export interface ZobristNumber {
  readonly number: number;
  readonly value: Hex;
  readonly meaning: string;
}

export interface Magic {
  readonly square: string;
  /** The lines: diagonals, or rank and file. A queen has both. */
  readonly role: "bishop" | "rook";
  readonly relevant: Hex;
  readonly magic: Hex;
  readonly shift: number;
  readonly index: number;
  readonly attacks: Hex;
}

interface PieceEntry {
  readonly color: Color;
  readonly type: Role;
  readonly position: number;
}

export interface Views {
  readonly list: readonly (number | boolean)[];
  readonly bitboards: Bitboards;
  readonly boards: Readonly<Record<Role | "white", Hex>>;
  readonly nibbles: string;
  readonly pieces: readonly PieceEntry[];
  readonly piece_bytes: readonly number[];
  readonly special: number;
  readonly state: {
    readonly turn: Color;
    readonly en_passant: boolean;
    readonly en_passant_file: number | null;
    readonly castling: number;
    readonly halfmove_clock: number;
    readonly fullmove_number: number;
    readonly bits: number;
  };
  readonly huffman: {
    readonly board: string;
    readonly board_bits: number;
    readonly bits: number;
    readonly packed: string;
  };
  readonly checks: { readonly checkers: Hex; readonly check_mask: Hex; readonly pins: Pins };
  /** Missing on servers of an older version. */
  readonly zobrist?: readonly ZobristNumber[];
  readonly magics?: readonly Magic[];
}

/** The response of `POST /v1/position`. */
export interface PositionAnswer {
  readonly fen: string;
  readonly key: Hex;
  readonly shredder_fen: string;
  readonly packed: string;
  readonly chess960: boolean;
  readonly views: Views;
}

/** The reversible change of the list: 8, 12 or 13 entries. */
export type Instruction = readonly (number | null)[];

export type MoveRecord = Readonly<Record<CastleFlag, boolean>> & {
  readonly start: Hex;
  readonly end: Hex;
  readonly captured_side: Color | null;
  readonly captured_piece: string | null;
  readonly captured_bitboard: Hex | null;
  readonly castle_type: string | null;
  readonly score: number;
};

export interface Ply {
  readonly uci: string;
  readonly san: string;
  readonly code: number;
  readonly fen: string;
  readonly key: Hex;
  readonly instruction: Instruction;
  readonly record: MoveRecord;
}

/** The response of `POST /v1/play`. */
export interface PlayAnswer {
  readonly plies: readonly Ply[];
}

export interface LegalMove {
  readonly uci: string;
  readonly san: string;
  readonly from: string;
  readonly to: string;
  readonly code: number;
}
