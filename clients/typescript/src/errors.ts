/** The errors of this client. An aborted request throws the reason of its `AbortSignal` instead. */
import type { Problem, Schemas } from "./types.js";

/**
 * The code of a refusal. `unexpected_answer` is this client's own: the answer is none of
 * kibitzer's, such as the HTML page of a proxy.
 */
export type ErrorCode = Problem["code"] | "unexpected_answer";

/** What the server says about single members, FEN fields or games of a request. */
export type ErrorItem = NonNullable<Problem["errors"]>[number];

/** The server refused the request. `code` says why, and `detail` describes it. */
export class KibitzerError extends Error {
  override readonly name = "KibitzerError";

  constructor(
    /** The HTTP status, also of an error within a stream. */
    readonly status: number,
    readonly code: ErrorCode,
    readonly detail: string,
    /** The time to wait before another try, in milliseconds, if the server gave one. */
    readonly retryAfterMs: number | null = null,
    /** The whole problem document, with the members that belong to its code. */
    readonly problem: Problem | Schemas["ProblemLine"] | null = null,
  ) {
    super(`${status} ${code}: ${detail}`);
  }

  /** The single errors, where several are possible; else empty. */
  get errors(): readonly ErrorItem[] {
    return this.problem?.errors ?? [];
  }
}

/** No complete answer came: the server is gone or silent, or the connection broke. */
export class KibitzerNetworkError extends Error {
  override readonly name = "KibitzerNetworkError";
}

/** The most text of a foreign answer that an error quotes. */
const MAX_QUOTE = 200;

/** The error for an answer that does not come from kibitzer. */
export function unexpectedAnswer(
  status: number, type: string | null, text: string, retryAfterMs: number | null = null,
): KibitzerError {
  const quote = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text;
  const detail = `the answer is not from kibitzer: ${type ?? "no media type"}: ${quote}`;
  return new KibitzerError(status, "unexpected_answer", detail, retryAfterMs);
}

/** The error for a problem document, or for a line of a stream with its members. */
export function problemError(problem: Problem | Schemas["ProblemLine"]): KibitzerError {
  const { status, code, detail, retry_after_ms: wait } = problem;
  return new KibitzerError(status, code, detail, wait ?? null, problem);
}

/** The error for a response with another status than 2xx. */
export async function refusal(response: Response): Promise<KibitzerError> {
  const { status, headers } = response;
  // Browsers hide the status and the target of a redirection.
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    const target = headers.get("location");
    const detail = `the server redirects to ${target ?? "another address"}; use that as url`;
    return new KibitzerError(status, "unexpected_answer", detail);
  }
  const text = await response.text();
  const seconds = Number(headers.get("retry-after") ?? NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : null;
  const problem = parseProblem(text);
  if (problem === null) {
    return unexpectedAnswer(status, headers.get("content-type"), text, retryAfterMs);
  }
  return new KibitzerError(
    status, problem.code, problem.detail, problem.retry_after_ms ?? retryAfterMs, problem,
  );
}

function parseProblem(text: string): Problem | null {
  try {
    const value = JSON.parse(text) as Problem | null;
    return typeof value?.code === "string" && typeof value.detail === "string" ? value : null;
  } catch {
    return null;
  }
}
