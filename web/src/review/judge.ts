/** The server's judgement of a move by the scores before and after it. */
import type { Client } from "../engine/client";
import type { Score } from "../engine/protocol";
import type { JudgementName } from "./protocol";

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

/** Asks the server. */
export const createJudge = (client: Client) =>
  (scores: Scores, signal?: AbortSignal): Promise<Judged> =>
    client.request("/v1/judgement", { json: scores, ...(signal ? { signal } : {}) });

export type Judge = ReturnType<typeof createJudge>;
