/** Errors of requests: the server refuses them, or no answer comes. */

/** A problem of the server (RFC 9457) as openapi.yaml describes it. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly errors?: readonly ProblemError[];
  /** With `tablebase_unavailable`: why the tables do not know the position. */
  readonly reason?: string;
  /** With 429 and 503: how long to wait before the next try. */
  readonly retry_after_ms?: number;
}

export interface ProblemError {
  readonly code: string;
  readonly detail: string;
  /** A JSON Pointer to the member of the request. */
  readonly pointer?: string;
  /** The field of a FEN. */
  readonly field?: string;
}

/** The server refused a request. engine/failure.ts has the sentence to show. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

/** No answer came, or it broke off. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
  constructor() {
    super("The server cannot be reached.");
  }
}

/**
 * Reads a body to its end. Fetch reports one that breaks off as it reports errors of code, and one
 * that takes too long as aborted.
 */
export async function whole<Body>(body: Promise<Body>): Promise<Body> {
  try {
    return await body;
  } catch (error) {
    const isCut = error instanceof TypeError || error instanceof DOMException;
    throw isCut ? new Unreachable() : error;
  }
}
