/** Streams of server-sent events, as the TypeScript client reads them. */
import { serverEvents, textLines } from "../../../clients/typescript/src/lines";
import { Unreachable } from "./errors";

export interface ServerEvent {
  /** The type that its data names. */
  readonly type: string;
  readonly id: string | null;
  readonly data: unknown;
}

/** The callers measure the silence of the server. */
const NO_TIMER = { restart: () => undefined, pause: () => undefined };

/** Splits a stream into its events, whose data is an object. Leaving the loop ends the stream. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  try {
    for await (const { id, data } of serverEvents(textLines(body, NO_TIMER))) {
      const content = JSON.parse(data) as { readonly type: string };
      yield { type: content.type, id, data: content };
    }
  } catch (error) {
    // Fetch reports a body that breaks off as it reports errors of code.
    throw error instanceof TypeError ? new Unreachable() : error;
  }
}
