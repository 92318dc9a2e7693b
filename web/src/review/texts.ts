/** Refusals and waits of a review as sentences. */
import { Refusal, Unreachable } from "../engine/client";
import { sentence } from "../ui/sentence";
import type { Wait } from "./retry";

/** Why a job is not there any more. */
export function goneText(code: string): string {
  if (code === "not_found") {
    return "The server has no such review any more: it was started again and keeps no reviews.";
  }
  if (code === "expired") return "The server does not keep the review of this game any longer.";
  return "The review was deleted on the server.";
}

export function refusalText(error: unknown): string {
  if (error instanceof Unreachable) return error.message;
  if (!(error instanceof Refusal)) return "The review failed. Try it again.";
  const { status, code } = error.problem;
  const detail = sentence(error.message);
  if (status === 401) return `The server needs an API key. ${detail}`;
  if (status === 403) return `The server refuses this page. ${detail}`;
  if (code === "invalid_pgn") return `The server cannot review this game. ${detail}`;
  if (status === 413) return `The game is too long for this server. ${detail}`;
  return detail;
}

export function waitText(wait: Wait, hasJob: boolean): string {
  if (wait.kind === "unreachable") {
    return hasJob
      ? "The server cannot be reached. The review goes on when it is back."
      : "The server cannot be reached. The review starts when it is back.";
  }
  const seconds = Math.max(1, Math.round(wait.ms / 1_000));
  return `${sentence(wait.detail)} The next try is in ${seconds} s.`;
}
