/** The messages of `/v1/live` that the page uses. openapi.yaml describes all members. */
import type { Color } from "chessops/types";
import type { Refused } from "./failure";

export interface Score {
  readonly type: "cp" | "mate";
  readonly value: number;
}

export interface Line {
  readonly rank: number;
  readonly score: Score;
  /** Chances of a win, a draw and a loss of White, in thousandths. */
  readonly wdl: readonly [number, number, number];
  /** The win chance of White in percent. Older servers do not send it. */
  readonly win_chance?: number;
  readonly depth: number;
  readonly pv: readonly string[];
  readonly pv_san: readonly string[];
}

/** An evaluation from White's view. */
export interface Info {
  readonly type: "info";
  readonly id: number;
  readonly source: "search" | "memory" | "tablebase";
  readonly depth: number;
  readonly seldepth: number;
  readonly nodes: number;
  readonly nps: number;
  readonly lines: readonly Line[];
}

interface Heartbeat {
  readonly type: "heartbeat";
  readonly id: number;
  readonly nodes: number;
  readonly time_ms: number;
}

interface End {
  readonly type: "end";
  readonly id: number;
  readonly reason: string;
}

interface Queued {
  readonly type: "queued";
  readonly id: number;
  readonly position: number;
}

interface Ready {
  readonly type: "ready";
  readonly id: number;
  readonly status: string;
  readonly draw_reason: string | null;
}

export interface LiveProblem extends Refused {
  readonly type: "problem";
  readonly id: number;
}

/** A message about the search with this id. */
export type ServerMessage = Info | Heartbeat | End | Queued | Ready | LiveProblem;

/** When a search ends by itself. */
export type SearchLimit =
  | { readonly infinite: true }
  | { readonly depth: number }
  | { readonly movetime_ms: number };

export interface SearchRequest {
  /** The position before `moves`. Repetitions need the moves. */
  readonly fen: string;
  readonly moves: readonly string[];
  readonly multipv: number;
  /** The only moves to search, or `null` for all. */
  readonly searchmoves: readonly string[] | null;
  readonly limit: SearchLimit;
}

/** The number of moves of a line that fit into a row. */
const PV_LENGTH = 12;

/** The members of a search as the server takes them, without its position. */
export function searchMembers({ multipv, searchmoves, limit }: SearchRequest) {
  return {
    ...limit, multipv, pv_length: PV_LENGTH, pov: "white",
    ...(searchmoves ? { searchmoves } : {}),
  };
}

interface Cap {
  readonly max: number;
}

/** The members of `GET /v1/limits` that the page uses. */
export interface Limits {
  readonly depth: Cap;
  readonly nodes: Cap;
  readonly movetime_ms: Cap;
  readonly multipv: Cap;
  readonly infinite_ms: number;
  readonly queue: { readonly capacity: number; readonly length: number };
  readonly workers: number;
  readonly jobs: { readonly max_nodes: number };
  readonly hash_mb: number;
  /** The most men of a position in the tablebases. An older server names none. */
  readonly tablebase?: { readonly men: number } | null;
  readonly dictionary: { readonly entries: number; readonly max_entries: number };
  readonly rate: {
    readonly requests: number;
    readonly window_ms: number;
    readonly remaining: number;
  } | null;
}

/** A score of White's view from a player's view, or the other way round. */
export const viewOf = ({ type, value }: Score, color: Color): Score => ({
  // `|| 0` turns −0 into 0.
  type, value: color === "white" ? value : -value || 0,
});

/** A score for reading: `+0.48`, `−1.20`, `#3`, `#−2`. */
export function scoreText({ type, value }: Score): string {
  const digits = type === "cp" ? (Math.abs(value) / 100).toFixed(2) : String(Math.abs(value));
  const minus = value < 0 ? "−" : "";
  if (type === "mate") return `#${minus}${digits}`;
  return value > 0 ? `+${digits}` : `${minus}${digits}`;
}
