/** Failures and waits of a review as sentences. */
import { Refusal } from "../engine/client";
import { errorText, withNextTry } from "../engine/failure";
import type { Wait } from "./retry";

/** Why a job is not there any more. */
export function goneText(code: string): string {
  if (code === "not_found") {
    return "The server has no such review any more: it was started again and keeps no reviews.";
  }
  if (code === "expired") return "The server does not keep the review of this game any longer.";
  return "The review was deleted on the server.";
}

/** Why the server reviews no game at all, or not this one. */
export function refusalText(error: unknown): string {
  const text = errorText(error);
  const { status, code } = error instanceof Refusal ? error.problem : { status: 0, code: "" };
  if (code === "invalid_pgn") return `The server cannot review this game. ${text}`;
  if (status === 413) return `The game is too long for this server. ${text}`;
  return text;
}

/** Why the server reviews nothing for this user, and what to do. */
export const lockedText = (error: unknown): string =>
  `${errorText(error)} Enter a valid key, and the review goes on.`;

export function waitText(wait: Wait, hasJob: boolean): string {
  if (wait.kind === "busy") return withNextTry(wait.detail, wait.ms);
  return hasJob
    ? "The server cannot be reached. The review goes on when it is back."
    : "The server cannot be reached. The review starts when it is back.";
}
