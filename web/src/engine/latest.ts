/** The server's answer to a question that changes often: the shown position, the last move. */
import { createMemo, type Accessor } from "solid-js";
import { createRequests, type Kept, type Query } from "./requests";

/** An answer with its key and the time at which it came. */
export interface Shown<Answer> extends Kept<Answer> {
  readonly key: string;
}

/** The answer for the present key. Until it comes, the last one stays, so that nothing jumps. */
export const createShown = <Answer>(
  kept: (key: string) => Kept<Answer> | undefined, key: () => string | null,
): Accessor<Shown<Answer> | null> =>
  createMemo((before: Shown<Answer> | null): Shown<Answer> | null => {
    const present = key();
    const now = present === null ? undefined : kept(present);
    return now && present !== null ? { key: present, ...now } : before;
  }, null);

/** Requests the answer to the present question, or nothing. */
export function createLatest<Answer>(
  question: () => Query<Answer> | null,
  options: Parameters<typeof createRequests>[1],
) {
  const present = createMemo(question, null, { equals: (a, b) => a?.key === b?.key });
  const key = () => present()?.key ?? null;
  const requests = createRequests<Answer>(() => {
    const asked = present();
    return asked ? [asked] : [];
  }, options);
  const shown = createShown(requests.kept, key);
  return {
    /** The last answer. */
    answer: () => shown()?.answer ?? null,
    /** Whether the answer is for an earlier question. */
    isOld: () => shown()?.key !== key(),
    problem: requests.problem,
    refresh: requests.refresh,
  };
}

export type Latest<Answer> = ReturnType<typeof createLatest<Answer>>;
