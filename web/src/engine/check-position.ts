/** The server's check of a position, with that of the page where the server cannot be asked. */
import {
  checkHere, type CheckPosition, type FenField, type FieldNote,
} from "../board/position-check";
import { sentence } from "../ui/sentence";
import type { Client } from "./client";
import { Refusal, type ProblemError } from "./errors";
import { errorText } from "./failure";

const FIELDS: readonly string[] = [
  "board", "side", "castling", "en_passant", "halfmove_clock", "fullmove_number",
];

const noteOf = ({ field, detail }: ProblemError): FieldNote => ({
  field: (field && FIELDS.includes(field) ? field : "fen") as FenField,
  text: sentence(detail),
});

export function createPositionCheck(client: Client): CheckPosition {
  return async (fen, signal) => {
    try {
      const { warnings } = await client.request<{ warnings: ProblemError[] }>("/v1/legal-moves", {
        json: { fen }, signal,
      });
      return { errors: [], warnings: warnings.map(noteOf), notice: null };
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error;
      const errors = error instanceof Refusal && error.problem.code === "invalid_fen"
        ? error.problem.errors
        : undefined;
      if (errors) return { errors: errors.map(noteOf), warnings: [], notice: null };
      return checkHere(fen, `${errorText(error)} The page alone has checked the position.`);
    }
  };
}
