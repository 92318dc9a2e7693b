/** The judgement of a move by the scores before and after it. */
import type { Score } from "../engine/protocol";
import type { JudgementName } from "./protocol";
import { judgementOf, lossOf } from "./rules";

/** The scores that a judgement depends on, both from the view of the player who moved. */
export interface Scores {
  readonly before: Score;
  readonly after: Score;
  /** Whether the move is the best one of the search before it. The best move loses nothing. */
  readonly best: boolean;
}

export interface Judged {
  /** In percent. */
  readonly win_chance_loss: number;
  readonly judgement: JudgementName | null;
}

/** Asynchronous, since it is a request as soon as the server answers one. */
export async function judge(scores: Scores): Promise<Judged> {
  return { win_chance_loss: lossOf(scores), judgement: judgementOf(scores) };
}
