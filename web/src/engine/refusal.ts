/** The server's refusals as sentences, with the time of the next try. */
import { sentence } from "../ui/sentence";

export interface ShownRefusal {
  /** A sentence about what is wrong. */
  readonly text: string;
  readonly code: string;
  /** When the page tries again, in milliseconds since 1970, or `null`. */
  readonly until: number | null;
}

interface Problem {
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
}

/** Sentences for what users meet often. For all else the server's own words are shown. */
const SENTENCES: Readonly<Record<string, string>> = {
  rate_limited: "The server allows no more requests for now.",
  queue_full: "The server is busy.",
  deadline: "The server is busy: no worker was free in time.",
  not_ready: "The server is starting.",
  shutting_down: "The server is shutting down.",
  unauthorized: "The server needs a valid API key.",
};

export function refusalOf({ code, title, detail }: Problem, waitMs: number | null): ShownRefusal {
  return {
    text: SENTENCES[code] ?? sentence(detail ?? title), code,
    until: waitMs === null ? null : Date.now() + waitMs,
  };
}
