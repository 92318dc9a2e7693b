/** "Find the better move": the steps through the mistakes of a player, and the score. */
import type { Mistake } from "./review-data";

/** What became of a mistake: found at the first or a later try, shown, or skipped. */
export type Result = "first" | "later" | "shown" | "skipped";

/** The best move, one that is no mistake, or one that is. */
export type Grade = "best" | "good" | "bad";

export interface Practice {
  readonly mistakes: readonly Mistake[];
  readonly index: number;
  /**
   * `find`: a move is asked for. `judging`: the server looks at the tried move. `found` and
   * `shown`: a better move is on the board. `over`: the score is shown.
   */
  readonly phase: "find" | "judging" | "found" | "shown" | "over";
  /** The move on the board in place of the mistake. */
  readonly move: string | null;
  /** What was said about the last try. */
  readonly feedback: string | null;
  /** What the last try was. `null`: there was none, or it could not be judged. */
  readonly grade: Grade | null;
  readonly wrongTries: number;
  readonly results: readonly Result[];
}

export function startPractice(mistakes: readonly Mistake[]): Practice {
  return {
    mistakes, index: 0, phase: mistakes.length > 0 ? "find" : "over", move: null, feedback: null,
    grade: null, wrongTries: 0, results: [],
  };
}

export const currentMistake = ({ mistakes, index, phase }: Practice): Mistake | null =>
  phase === "over" ? null : (mistakes[index] ?? null);

export function tryMove(practice: Practice, move: string): Practice {
  return practice.phase === "find" ? { ...practice, phase: "judging", move } : practice;
}

/** A good move stays on the board. Another one is taken back, for another try. */
export function judged(practice: Practice, grade: Grade, feedback: string): Practice {
  if (practice.phase !== "judging") return practice;
  if (grade !== "bad") return { ...practice, phase: "found", feedback, grade };
  const wrongTries = practice.wrongTries + 1;
  return { ...practice, phase: "find", move: null, feedback, grade, wrongTries };
}

/** The try could not be judged: it does not count. */
export function notJudged(practice: Practice, feedback: string): Practice {
  if (practice.phase !== "judging") return practice;
  return { ...practice, phase: "find", move: null, feedback, grade: null };
}

export function showSolution(practice: Practice, feedback: string): Practice {
  const mistake = currentMistake(practice);
  if (!mistake || practice.phase !== "find") return practice;
  return { ...practice, phase: "shown", move: mistake.best, feedback, grade: null };
}

/** Goes on to the next mistake, or to the score. A mistake that is not solved is skipped. */
export function next(practice: Practice): Practice {
  const { phase, mistakes, wrongTries } = practice;
  if (phase === "over" || phase === "judging") return practice;
  const solved: Result = wrongTries === 0 ? "first" : "later";
  const result = phase === "found" ? solved : phase === "shown" ? "shown" : "skipped";
  const index = practice.index + 1;
  return {
    ...practice, index, phase: index < mistakes.length ? "find" : "over", move: null,
    feedback: null, grade: null, wrongTries: 0, results: [...practice.results, result],
  };
}

/** The score as a sentence. */
export function scoreSentence({ results, mistakes }: Practice): string {
  const count = (result: Result) => results.filter((each) => each === result).length;
  const [first, later] = [count("first"), count("later")];
  const others = [
    later > 0 ? `${later} at a later try` : "",
    count("shown") > 0 ? `${count("shown")} shown` : "",
    count("skipped") > 0 ? `${count("skipped")} skipped` : "",
  ].filter((text) => text !== "");
  const rest = others.length > 0 ? `; ${others.join(", ")}` : "";
  return `Better moves found at the first try: ${first} of ${mistakes.length}${rest}.`;
}
