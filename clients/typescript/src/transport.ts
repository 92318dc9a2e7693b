/** Requests over `fetch`: addresses, keys, repetitions and errors. */
import { Cancellation } from "./cancellation.js";
import { KibitzerError, KibitzerNetworkError, problemError, refusal, unexpectedAnswer }
  from "./errors.js";
import { serverEvents, textLines, type ServerEvent } from "./lines.js";
import { RetryPolicy, sleep, type RetryOptions } from "./retry.js";
import type { Schemas } from "./types.js";

/** The options of one call. */
export interface CallOptions {
  /** Ends the call. The server then stops its search. The call throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface TransportOptions {
  url: string;
  key?: string;
  fetch?: typeof fetch;
  retry?: RetryOptions | false;
  timeoutMs?: number;
}

/** What a request sends. */
export interface RequestParts {
  method: "GET" | "POST" | "DELETE";
  path: string;
  query?: object;
  headers?: Record<string, string>;
  body?: string;
  accept?: string;
}

/** The longest silence of a stream with heartbeats, which come every 8 s or more often. */
const STREAM_SILENCE_MS = 30_000;

/** A response whose body is not read yet. */
interface OpenResponse {
  response: Response;
  cancellation: Cancellation;
}

export class Transport {
  readonly retry: RetryPolicy;
  readonly hasKey: boolean;
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;

  constructor({ url, key, fetch, retry, timeoutMs = 120_000 }: TransportOptions) {
    this.#base = baseUrl(url);
    if (key !== undefined) checkHeader("key", key);
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    this.hasKey = key !== undefined;
    // A browser's fetch must be called as a method of the window.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.retry = new RetryPolicy(retry);
    this.#timeoutMs = timeoutMs;
  }

  /** The whole address of a path and its query. */
  address(path: string, query: object = {}): URL {
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query) as [string, unknown][]) {
      for (const item of Array.isArray(value) ? value : [value]) {
        if (item !== undefined) url.searchParams.append(name, String(item));
      }
    }
    return url;
  }

  /** The JSON document that answers a request. */
  async json<Answer>(request: RequestParts, { signal }: CallOptions): Promise<Answer> {
    const text = await this.text({ accept: "application/json", ...request }, { signal });
    return parse<Answer>(text, 200);
  }

  /** The text that answers a request. */
  async text(request: RequestParts, { signal }: CallOptions): Promise<string> {
    const { response, cancellation } = await this.#open(request, signal, this.#timeoutMs);
    try {
      return await response.text();
    } catch (error) {
      throw cancellation.explain(error, routeOf(request));
    } finally {
      cancellation.finish();
    }
  }

  /** The lines of an NDJSON response, up to `end`. */
  async *ndjson<Line extends { type: string }>(
    request: RequestParts,
    { signal, hasHeartbeats }: CallOptions & { hasHeartbeats: boolean },
  ): AsyncGenerator<Exclude<Line, { type: "problem" }>, void, undefined> {
    const silence = hasHeartbeats ? STREAM_SILENCE_MS : this.#timeoutMs;
    const open = await this.#open({ accept: "application/x-ndjson", ...request }, signal, silence);
    yield* this.#untilEnd<Line>(request, open, (lines) => lines);
  }

  /** The events of a response, up to `end`. `onId` gets the id of each before the event comes. */
  async *events<Line extends { type: string }>(
    request: RequestParts, { signal }: CallOptions, onId: (id: string) => void,
  ): AsyncGenerator<Exclude<Line, { type: "problem" }>, void, undefined> {
    const open = await this.#open(
      { accept: "text/event-stream", ...request }, signal, STREAM_SILENCE_MS,
    );
    if (open.response.status === 204) {
      open.cancellation.finish();
      return;
    }
    async function* data(lines: AsyncIterable<string>) {
      for await (const event of serverEvents(lines) as AsyncIterable<ServerEvent>) {
        if (event.id !== null) onId(event.id);
        yield event.data;
      }
    }
    yield* this.#untilEnd<Line>(request, open, data);
  }

  /** Yields the lines up to `end`. Leaving the loop earlier ends the request. */
  async *#untilEnd<Line extends { type: string }>(
    request: RequestParts,
    { response, cancellation }: OpenResponse,
    decode: (lines: AsyncIterable<string>) => AsyncIterable<string>,
  ): AsyncGenerator<Exclude<Line, { type: "problem" }>, void, undefined> {
    try {
      const lines = textLines(response.body ?? emptyBody(), cancellation);
      for await (const text of decode(lines)) {
        if (text === "") continue;
        const line = parse<Line>(text, response.status);
        if (line.type === "problem") {
          throw problemError(line as unknown as Schemas["ProblemLine"]);
        }
        yield line as Exclude<Line, { type: "problem" }>;
        if (line.type === "end") return;
      }
    } catch (error) {
      if (error instanceof KibitzerError) throw error;
      throw cancellation.explain(error, routeOf(request));
    } finally {
      cancellation.finish();
    }
    throw new KibitzerNetworkError(`${routeOf(request)}: the stream broke off before its end`);
  }

  /** Sends a request until the server accepts it, or the policy gives up. */
  async #open(
    request: RequestParts, signal: AbortSignal | undefined, silenceMs: number,
  ): Promise<OpenResponse> {
    for (let failed = 1; ; failed += 1) {
      try {
        return await this.#tryOpen(request, signal, silenceMs);
      } catch (error) {
        const wait = this.retry.waitAfter(error, failed);
        if (wait === null) throw error;
        await sleep(wait, signal);
      }
    }
  }

  async #tryOpen(
    request: RequestParts, signal: AbortSignal | undefined, silenceMs: number,
  ): Promise<OpenResponse> {
    const { method, path, query, headers, body = null, accept = "application/json" } = request;
    const cancellation = new Cancellation(signal, silenceMs);
    try {
      const response = await this.#fetch(this.address(path, query), {
        method,
        body,
        headers: { accept, ...this.#headers, ...headers },
        signal: cancellation.signal,
        // A redirected POST would become a GET, and the key could reach another host.
        redirect: "manual",
      });
      if (response.ok) return { response, cancellation };
      throw await refusal(response);
    } catch (error) {
      const explained = error instanceof KibitzerError ?
        error : cancellation.explain(error, routeOf(request));
      cancellation.finish();
      throw explained;
    }
  }
}

/** Checks the address of a server. */
function baseUrl(url: string): string {
  const parsed = /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) {
    throw new TypeError(`url is "${url}"; it must begin with http:// or https:// and a host`);
  }
  if (parsed.username || parsed.search || parsed.hash) {
    throw new TypeError(`url is "${url}"; it must have no user name, query or fragment`);
  }
  return parsed.href.replace(/\/+$/, "");
}

/** Checks a text for a header. `fetch` would fail without saying which. */
export function checkHeader(name: string, value: string): void {
  if (!/^[!-~]+$/.test(value)) {
    throw new TypeError(`${name} must be visible ASCII characters without spaces`);
  }
}

function routeOf({ method, path }: RequestParts): string {
  return `${method} ${path}`;
}

/** The JSON object in a text. */
function parse<Value>(text: string, status: number): Value {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // The error below quotes the text.
  }
  if (typeof value !== "object" || value === null) {
    throw unexpectedAnswer(status, "no JSON object", text);
  }
  return value as Value;
}

function emptyBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
