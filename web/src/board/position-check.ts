/** The check of a position: what is wrong with each field of its FEN. */
import { readPosition, type FenField } from "../tree/fen";

export type { FenField };

export interface FieldNote {
  readonly field: FenField;
  readonly text: string;
}

export interface Verdict {
  readonly errors: readonly FieldNote[];
  /** What the server corrects by itself. */
  readonly warnings: readonly FieldNote[];
  /** Why the server did not check the position, as a sentence. */
  readonly notice: string | null;
}

export type CheckPosition = (fen: string, signal: AbortSignal) => Promise<Verdict>;

/** The check without the server, which finds fewer errors. */
export function checkHere(fen: string, notice: string | null): Verdict {
  const read = readPosition(fen);
  const errors = "problem" in read ? [{ field: read.field, text: read.problem }] : [];
  return { errors, warnings: [], notice };
}
