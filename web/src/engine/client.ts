/** Requests to the server: JSON and events, with the API key, and refusals as errors. */
import { createSignal } from "solid-js";
import { keep, readStored } from "../ui/storage";

/** A problem of the server (RFC 9457) as openapi.yaml describes it. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly errors?: readonly ProblemError[];
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

export interface ServerEvent {
  readonly type: string;
  readonly id: string | null;
  readonly data: unknown;
}

interface Options {
  readonly method?: "GET" | "POST" | "DELETE";
  /** A body to be sent as JSON. */
  readonly json?: unknown;
  /** Or a body as it is, with its media type. */
  readonly body?: string;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const KEY_STORED_AS = "key";
const sessionStore = () => sessionStorage;

/** The wait in the header, for servers and proxies whose problems do not name it. */
function headerWait({ headers }: Response): Pick<Problem, "retry_after_ms"> {
  const seconds = Number(headers.get("Retry-After") ?? NaN);
  return Number.isFinite(seconds) ? { retry_after_ms: seconds * 1_000 } : {};
}

async function refusalOf(response: Response): Promise<Refusal> {
  const { status, statusText } = response;
  const isProblem = response.headers.get("Content-Type")?.startsWith("application/problem+json");
  const problem = isProblem
    ? await whole(response.json() as Promise<Problem>)
    : { title: `The server answered ${status} ${statusText}`.trim(), status, code: "unknown" };
  return new Refusal({ ...headerWait(response), ...problem });
}

/** Reads a body to its end. Fetch reports one that breaks off as it reports errors of code. */
async function whole<Body>(body: Promise<Body>): Promise<Body> {
  try {
    return await body;
  } catch (error) {
    throw error instanceof TypeError ? new Unreachable() : error;
  }
}

/** Splits a stream of server-sent events. Lines end in LF, as this server writes them. */
async function* parseEvents(
  chunks: AsyncIterable<string>,
): AsyncGenerator<ServerEvent, void, undefined> {
  let rest = "";
  for await (const chunk of chunks) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map<string, string>();
      for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
      }
      const data = fields.get("data");
      if (data === undefined) continue;
      yield {
        type: fields.get("event") ?? "message", id: fields.get("id") ?? null,
        data: JSON.parse(data) as unknown,
      };
    }
  }
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await whole(reader.read());
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export function createClient() {
  const [key, setKey] = createSignal(readStored(KEY_STORED_AS, sessionStore));

  async function send(path: string, options: Options): Promise<Response> {
    const { json, signal } = options;
    const type = json === undefined ? options.type : "application/json";
    const headers: Record<string, string> = { ...options.headers };
    if (type) headers["Content-Type"] = type;
    if (options.accept) headers["Accept"] = options.accept;
    const shown = key();
    if (shown) headers["Authorization"] = `Bearer ${shown}`;
    const body = json === undefined ? options.body : JSON.stringify(json);
    let response: Response;
    try {
      response = await fetch(path, {
        method: options.method ?? (body === undefined ? "GET" : "POST"), headers,
        ...(body === undefined ? {} : { body }), ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Unreachable();
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  return {
    /** The user's API key, kept until the tab is closed. */
    key,
    setKey(value: string | null) {
      setKey(value);
      keep(KEY_STORED_AS, value, sessionStore);
    },
    /** Sends a request and reads the JSON of the response; throws `Refusal` or `Unreachable`. */
    async request<Answer>(path: string, options: Options = {}): Promise<Answer> {
      const response = await send(path, options);
      return (response.status === 204 ? undefined : await whole(response.json())) as Answer;
    },
    /** The same for a response that is text. */
    async text(path: string, options: Options = {}): Promise<string> {
      return whole((await send(path, options)).text());
    },
    /** Reads a stream of events until it ends or `signal` aborts it. */
    async *events(path: string, options: Options = {}): AsyncGenerator<ServerEvent> {
      const response = await send(path, { accept: "text/event-stream", ...options });
      if (response.body) yield* parseEvents(textOf(response.body));
    },
    /** A ticket for a WebSocket, which cannot carry a key. `null` if no key is set. */
    async ticket(options: Pick<Options, "signal"> = {}): Promise<string | null> {
      if (!key()) return null;
      const { ticket } = await this.request<{ ticket: string }>(
        "/v1/tickets", { method: "POST", ...options },
      );
      return ticket;
    },
  };
}

export type Client = ReturnType<typeof createClient>;
