/** Streams of server-sent events. */
import { whole } from "./errors";

export interface ServerEvent {
  readonly type: string;
  readonly id: string | null;
  readonly data: unknown;
}

/** Splits a stream into its events. Lines end in LF, as this server writes them. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let rest = "";
  for await (const chunk of textOf(body)) {
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
