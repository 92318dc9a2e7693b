// The events of a review over connections that break.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Kibitzer, KibitzerNetworkError } from "kibitzer";
import { startBreakingProxy, startFake, startKibitzer } from "./servers.js";

const { url } = await startKibitzer();
const PGN = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *";

test("each event comes once, although the connection breaks", async () => {
  const { id } = await new Kibitzer({ url }).games.submit(PGN, { nodes: 2_000 });
  const proxy = await startBreakingProxy(url, [300, 3_000, 0, 3_000]);
  const plies = [];
  const ids: string[] = [];
  const options = { onEventId: (eventId: string) => ids.push(eventId) };
  for await (const event of new Kibitzer({ url: proxy }).games.events(id, options)) {
    if (event.type === "move") plies.push(event.ply);
  }
  assert.deepEqual(plies, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  assert.deepEqual(ids, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "end"]);
});

test("a later call goes on after an event", async () => {
  const client = new Kibitzer({ url });
  const { id } = await client.games.submit(PGN, { nodes: 2_001 });
  const plies = [];
  for await (const event of client.games.events(id, { lastEventId: "7" })) {
    if (event.type === "move") plies.push(event.ply);
  }
  assert.deepEqual(plies, [3, 2, 1]);
  // The server has no more events after the end.
  for await (const event of client.games.events(id, { lastEventId: "end" })) {
    assert.fail(event.type);
  }
});

test("a connection that always breaks is an error in the end", async () => {
  const proxy = await startBreakingProxy(url, Array<number>(20).fill(0));
  const client = new Kibitzer({ url: proxy, retry: { attempts: 2, maxWaitMs: 10 } });
  await assert.rejects(async () => {
    for await (const event of client.games.events("0".repeat(32))) assert.fail(event.type);
  }, KibitzerNetworkError);
});

test("an unknown review is refused, not repeated", async () => {
  const events = new Kibitzer({ url }).games.events("0".repeat(32));
  await assert.rejects(events.next(), { status: 404, code: "not_found" });
});

test("events are read however they are cut and written", async () => {
  const text = ": a comment\r\nretry: 2000\r\n\r\nevent: move\r\nid: 1\r\n" +
    "data: {\"type\":\"move\",\r\ndata:\"san\":\"é\u2028\"}\r\n\r\nid: end\ndata: {\"type\":\"end\"}\n\n";
  const fake = await startFake((_, response) => {
    const bytes = Buffer.from(text);
    const writeNext = (index: number) => {
      if (index === bytes.length) {
        response.end();
      } else {
        response.write(bytes.subarray(index, index + 1), () => writeNext(index + 1));
      }
    };
    writeNext(0);
  });
  const events: unknown[] = [];
  for await (const event of new Kibitzer({ url: fake }).games.events("1")) events.push(event);
  assert.deepEqual(events, [{ type: "move", san: "é\u2028" }, { type: "end" }]);
});
