/** The used members of `/v1/explore` and `/v1/evaluate`. openapi.yaml describes all members. */
import type { Color, Role } from "chessops/types";
import type { Score } from "../engine/protocol";

export interface Opening {
  readonly eco: string;
  readonly name: string;
}

type GameStatus = "ongoing" | "checkmate" | "stalemate" | "draw";
export type DrawReason = "fivefold_repetition" | "seventy_five_moves" | "dead_position";
type Claim = "threefold_repetition" | "fifty_moves";

export interface GameState {
  readonly status: GameStatus;
  readonly winner: Color | null;
  readonly draw_reason: DrawReason | null;
  readonly claims: readonly Claim[];
}

/** An entry of the server's evaluation cache. */
export interface KnownEvaluation {
  /** From the view of the side to move in its position. */
  readonly score: Score;
  readonly depth: number;
  readonly age_ms: number;
}

export interface ExploredMove {
  readonly uci: string;
  readonly san: string;
  readonly status: GameStatus;
  /** The entry of the position after the move. */
  readonly known: KnownEvaluation | null;
  /** From the view of the side that moves. */
  readonly score: Score | null;
}

export interface ExploredPosition extends GameState {
  readonly turn: Color;
  /** The last named opening of the moves. An older server has none. */
  readonly opening?: Opening | null;
  readonly known: KnownEvaluation | null;
  /** The best first; `null` if there is no legal move. */
  readonly moves: readonly ExploredMove[] | null;
}

/** The outcome for the side to move. openapi.yaml says what each one means. */
export type Category =
  | "win" | "syzygy-win" | "cursed-win" | "draw" | "blessed-loss" | "syzygy-loss" | "loss"
  | "unknown";

export interface TablebaseMove {
  readonly uci: string;
  readonly san: string;
  /** Of the position after the move, for the opponent. */
  readonly category: Category;
  /** The same. `null` if there is no table for that position. */
  readonly dtz: number | null;
  readonly zeroing: boolean;
  readonly checkmate: boolean;
  readonly stalemate: boolean;
  readonly insufficient_material: boolean;
}

export interface TablebaseAnswer extends GameState {
  readonly turn: Color;
  readonly category: Category;
  readonly dtz: number;
  /** The best first. */
  readonly moves: readonly TablebaseMove[];
}

export interface PieceValue {
  readonly square: string;
  readonly color: Color;
  readonly role: Role;
  /** The centipawns that the static evaluation loses without the piece, from White's view. */
  readonly value: number;
}

export interface StaticEvaluation {
  readonly check: boolean;
  readonly white_score: Score;
  readonly network: string;
  readonly bucket: number;
  readonly pieces: readonly PieceValue[];
}
