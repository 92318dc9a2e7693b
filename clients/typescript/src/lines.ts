/** Readers of NDJSON and of server-sent events. */

/** What measures how long a body is silent. */
export interface SilenceTimer {
  restart(): void;
  pause(): void;
}

/**
 * The lines of a body. While the caller handles a line, the body is not silent. Leaving the loop
 * cancels the body.
 */
export async function* textLines(
  body: ReadableStream<Uint8Array>, silence: SilenceTimer,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      silence.restart();
      const { done, value } = await reader.read();
      silence.pause();
      // What follows the last line break is the beginning of a line that never came.
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
  } finally {
    // It fails where the body has failed.
    await reader.cancel().catch(() => undefined);
  }
}

/** An event of a stream of server-sent events. */
export interface ServerEvent {
  id: string | null;
  data: string;
}

/** The events in the lines of a body. Comments, `retry` and an event cut short are skipped. */
export async function* serverEvents(
  lines: AsyncIterable<string>,
): AsyncGenerator<ServerEvent, void, undefined> {
  let id: string | null = null;
  let data: string[] = [];
  for await (const line of lines) {
    if (line === "") {
      if (data.length > 0) yield { id, data: data.join("\n") };
      [id, data] = [null, []];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") id = value;
    if (field === "data") data.push(value);
  }
}
