/** The members of the routes under `/v1/games` that the page uses. See openapi.yaml. */
import type { Score } from "../engine/protocol";

export type JudgementName = "inaccuracy" | "mistake" | "blunder";

/** The review of a move. Scores are from White's view: the page asks with `pov=white`. */
export interface MoveReview {
  /** The half move of the game, from 1. */
  readonly ply: number;
  readonly san: string;
  readonly uci: string;
  /** The position after the move. */
  readonly fen: string;
  readonly before: Score;
  readonly after: Score;
  readonly best: string | null;
  readonly best_san: string | null;
  /** The best line instead of the move. It begins with the best move. */
  readonly line: readonly string[];
  /** White's chances to win before and after the move, in percent. */
  readonly win_chance: { readonly before: number; readonly after: number };
  readonly win_chance_loss: number;
  readonly judgement: JudgementName | null;
  readonly accuracy: number;
}

export interface PerPlayer {
  readonly white: number | null;
  readonly black: number | null;
}

/** A game whose moves are all reviewed, or one that cannot be reviewed. */
export interface GameHead {
  readonly opening: { readonly eco: string; readonly name: string } | null;
  readonly accuracy: PerPlayer;
  readonly average_centipawn_loss: PerPlayer;
  readonly error?: { readonly code: string; readonly detail: string };
}

export interface SubmittedJob {
  readonly id: string;
  readonly moves: number;
}

export interface JobProgress {
  readonly moves_done: number;
  readonly moves: number;
}

/** The judgements as people write them, and their numeric annotation glyphs in PGN. */
export const KINDS: Record<
  JudgementName, { name: string; plural: string; glyph: string; nag: number }
> = {
  inaccuracy: { name: "Inaccuracy", plural: "Inaccuracies", glyph: "?!", nag: 6 },
  mistake: { name: "Mistake", plural: "Mistakes", glyph: "?", nag: 2 },
  blunder: { name: "Blunder", plural: "Blunders", glyph: "??", nag: 4 },
};
