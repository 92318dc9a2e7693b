/** Requests to the server: JSON and events, with the API key, and refusals as errors. */
import { createSignal } from "solid-js";
import { keep, readStored } from "../ui/storage";
import { Refusal, Unreachable, whole, type Problem } from "./errors";
import { RequestBudget, type Priority } from "./request-budget";
import type { ServerEvent } from "./server-events";

export { Refusal, Unreachable } from "./errors";
export type { ServerEvent } from "./server-events";

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
  /** What the request is for, if the server's rate limit is near: `user` by default. */
  readonly priority?: Priority;
}

const KEY_STORED_AS = "key";
const EVENTS = "text/event-stream";
const sessionStore = () => sessionStorage;

/** The pause after a 429 that names none, as a proxy may send it. */
const DEFAULT_HOLD_MS = 2_000;

/** The time in which a request is answered and its answer read, also behind a dead network. */
const MAX_ANSWER_MS = 20_000;
const MAX_UPLOAD_MS = 120_000;

/** A signal that also ends a request without an answer. Streams have their own timers. */
function withTimeout({ accept, body, signal }: Options): AbortSignal {
  const request = new AbortController();
  const end = () => request.abort(signal?.reason);
  if (signal?.aborted) end();
  // A signal that serves many requests keeps no listener of those that have ended.
  signal?.addEventListener("abort", end, { signal: request.signal });
  if (accept !== EVENTS) setTimeout(end, body === undefined ? MAX_ANSWER_MS : MAX_UPLOAD_MS);
  return request.signal;
}

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

export function createClient() {
  const [key, setKey] = createSignal(
    // The same key once more is another try.
    readStored(KEY_STORED_AS, sessionStore), { equals: false },
  );
  const budget = new RequestBudget();

  async function send(path: string, options: Options): Promise<Response> {
    const { json, signal } = options;
    const type = json === undefined ? options.type : "application/json";
    const headers: Record<string, string> = { ...options.headers };
    if (type) headers["Content-Type"] = type;
    if (options.accept) headers["Accept"] = options.accept;
    const shown = key();
    if (shown) headers["Authorization"] = `Bearer ${shown}`;
    const body = json === undefined ? options.body : JSON.stringify(json);
    await budget.turn(options.priority ?? "user", signal);
    let response: Response;
    try {
      response = await fetch(path, {
        method: options.method ?? (body === undefined ? "GET" : "POST"), headers,
        ...(body === undefined ? {} : { body }), signal: withTimeout(options),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Unreachable();
    }
    budget.note(response);
    if (response.ok) return response;
    const refusal = await refusalOf(response);
    const { status, retry_after_ms = DEFAULT_HOLD_MS } = refusal.problem;
    if (status === 429) budget.hold(retry_after_ms);
    throw refusal;
  }

  return {
    /** The server's rate limit, for searches, which are sent without this client. */
    budget,
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
    /** The same for a response that is a file. */
    async file(path: string): Promise<Blob> {
      return whole((await send(path, {})).blob());
    },
    /** Reads a stream of events until it ends or `signal` aborts it. */
    async *events(path: string, options: Options = {}): AsyncGenerator<ServerEvent> {
      const response = await send(path, { accept: EVENTS, ...options });
      const { readEvents } = await import("./server-events");
      if (response.body) yield* readEvents(response.body);
    },
    /** A ticket for a WebSocket, which cannot carry a key. `null` if no key is set. */
    async ticket(options: Options = {}): Promise<string | null> {
      if (!key()) return null;
      const { ticket } = await this.request<{ ticket: string }>(
        "/v1/tickets", { ...options, method: "POST" },
      );
      return ticket;
    },
  };
}

export type Client = ReturnType<typeof createClient>;
