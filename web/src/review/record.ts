/** The review that the tab keeps, so that it goes on after a reload. */
import { keep, readStored } from "../ui/storage";
import type { Game } from "./game";
import { isLevel, type Level } from "./levels";

export interface ReviewRecord {
  readonly game: Game;
  /** The tags of the game, to show it again. */
  readonly headers: readonly (readonly [string, string])[];
  readonly level: Level;
  /** The `Idempotency-Key`: a repeated request makes no second job. */
  readonly key: string;
  /** The id of the job, once the server has answered. */
  readonly job: string | null;
  readonly isDone: boolean;
}

const STORED_AS = "review";

/** Two tabs can have a review each. A duplicated tab gets a copy of its original's. */
const own = () => sessionStorage;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === "string");

/** Reads a kept review. What another version of the page wrote is `null`. */
export function parseRecord(text: string | null): ReviewRecord | null {
  try {
    const record = JSON.parse(text ?? "null") as ReviewRecord | null;
    const isComplete =
      record !== null && typeof record.game.fen === "string" && isTexts(record.game.moves) &&
      Array.isArray(record.headers) && record.headers.every((pair) => isTexts(pair)) &&
      isLevel(record.level) && typeof record.key === "string" &&
      (record.job === null || /^[0-9a-f]{32}$/.test(record.job));
    return isComplete ? { ...record, isDone: record.isDone === true } : null;
  } catch {
    return null;
  }
}

export const keptRecord = (): ReviewRecord | null => parseRecord(readStored(STORED_AS, own));

export const keepRecord = (record: ReviewRecord): void =>
  keep(STORED_AS, JSON.stringify(record), own);

/** Forgets a review. Another one that is kept by now stays. */
export function forgetRecord({ key }: ReviewRecord): void {
  if (keptRecord()?.key === key) keep(STORED_AS, null, own);
}

/** A random name for a job. Not `randomUUID`, which pages without HTTPS lack. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
