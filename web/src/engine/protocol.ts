/** The messages of `/v1/live` that the page uses. openapi.yaml describes all members. */

export interface Score {
  readonly type: "cp" | "mate";
  readonly value: number;
}

export interface Line {
  readonly rank: number;
  readonly score: Score;
  /** Chances of a win, a draw and a loss of White, in thousandths. */
  readonly wdl: readonly [number, number, number];
  readonly depth: number;
  readonly pv: readonly string[];
  readonly pv_san: readonly string[];
}

export interface Info {
  readonly type: "info";
  readonly id: number;
  readonly source: "search" | "memory";
  readonly depth: number;
  readonly nodes: number;
  readonly nps: number;
  readonly lines: readonly Line[];
}

export interface End {
  readonly type: "end";
  readonly id: number;
  readonly reason: string;
}

export interface Queued {
  readonly type: "queued";
  readonly id: number;
  readonly position: number;
}

export interface LiveProblem {
  readonly type: "problem";
  readonly id: number | null;
  readonly code?: string;
  readonly title: string;
  readonly detail?: string;
  readonly retry_after_ms?: number;
}

export type ServerMessage =
  | Info
  | End
  | Queued
  | LiveProblem
  | { readonly type: "ready" | "heartbeat"; readonly id: number };

export type ClientMessage =
  | { type: "position"; id: number; fen: string; moves: readonly string[] }
  | {
      type: "go"; id: number; infinite: true; multipv: number; pv_length: number; pov: "white";
    }
  | { type: "stop"; id: number };

/** A score for reading: `+0.48`, `−1.20`, `#3`, `#−2`. */
export function scoreText({ type, value }: Score): string {
  const digits = type === "cp" ? (Math.abs(value) / 100).toFixed(2) : String(Math.abs(value));
  const minus = value < 0 ? "−" : "";
  if (type === "mate") return `#${minus}${digits}`;
  return value > 0 ? `+${digits}` : `${minus}${digits}`;
}
