/** The server's judgement of a move by the scores before and after it. */
import type { Client } from "../engine/client";
import type { Score } from "../engine/protocol";
import { createCache } from "../ui/cache";
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

/** Scores repeat while a user goes through a game. */
const MAX_KEPT = 500;

/** Asks the server once for the same scores. */
export function createJudge(client: Client) {
  const kept = createCache<Promise<Judged>>(MAX_KEPT);
  return (scores: Scores): Promise<Judged> => {
    const key = JSON.stringify(scores);
    const known = kept.get(key);
    if (known) return known;
    const answer = client.request<Judged>("/v1/judgement", { json: scores });
    kept.set(key, answer);
    // The next time asks again.
    answer.catch(() => kept.delete(key));
    return answer;
  };
}

export type Judge = ReturnType<typeof createJudge>;
