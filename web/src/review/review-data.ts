/** The data of a review: the moves that have arrived, and the numbers of the whole game. */
import type { ServerEvent } from "../engine/client";
import type { GameHead, JobProgress, JudgementName, MoveReview } from "./protocol";

export interface ReviewData {
  /** The moves in game order. They arrive last move first: the early ones are `null` at first. */
  readonly moves: readonly (MoveReview | null)[];
  /** The numbers of the game, once it is reviewed as a whole. */
  readonly head: GameHead | null;
  /** Whether the server has begun with the job. */
  readonly isRunning: boolean;
  /** The reason of the stream's end: `done`, `failed` or `cancelled`. */
  readonly end: string | null;
}

export const newReview = (plies: number): ReviewData => ({
  moves: Array.from({ length: plies }, () => null), head: null, isRunning: false, end: null,
});

type Numbered<Event> = Event & { readonly game: number };

/** The review with an event. An event that came before changes nothing. */
export function merge(review: ReviewData, { type, data }: ServerEvent): ReviewData {
  switch (type) {
    case "move": {
      const move = data as Numbered<MoveReview>;
      const isKnown = move.game === 0 && move.ply <= review.moves.length;
      if (!isKnown || review.moves[move.ply - 1]) return review;
      return { ...review, moves: review.moves.with(move.ply - 1, move), isRunning: true };
    }
    case "game": {
      const head = data as Numbered<GameHead>;
      return head.game === 0 ? { ...review, head } : review;
    }
    case "heartbeat":
      return { ...review, isRunning: (data as JobProgress).moves_done > 0 || review.isRunning };
    case "end":
      return { ...review, end: (data as { reason: string }).reason };
    default:
      return review;
  }
}

export const movesDone = ({ moves }: ReviewData): number =>
  moves.reduce((count, move) => count + (move ? 1 : 0), 0);

/** A move that the review calls an inaccuracy, a mistake or a blunder. */
export interface Mistake extends MoveReview {
  readonly judgement: JudgementName;
}

export function mistakesOf({ moves }: ReviewData): Mistake[] {
  return moves.filter((move): move is Mistake => !!move && move.judgement !== null);
}

/** The least loss of winning chance, in percent, that turns a game: that of an inaccuracy. */
export const MIN_TURN = 5;

/**
 * The moves that lost most, the greatest loss first. A mate that is allowed in a lost game, or
 * missed in a won one, is judged, too, but costs little winning chance: such a move is counted with
 * the mistakes and turns nothing.
 */
export function turningPoints(review: ReviewData, count: number): Mistake[] {
  return mistakesOf(review)
    .filter((move) => move.win_chance_loss >= MIN_TURN)
    .sort((a, b) => b.win_chance_loss - a.win_chance_loss || a.ply - b.ply)
    .slice(0, count);
}
