/** A server of `/v1/live` for measurements: it sends ten updates a second, for ever. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, request } from "node:http";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** A text frame from the server, which is not masked. */
function frame(text) {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head = length < 126 ? Buffer.from([0x81, length])
    : Buffer.from([0x81, 126, length >> 8, length & 255]);
  return Buffer.concat([head, payload]);
}

/** The text of the masked frames in a chunk. Messages of the board fit into one chunk. */
function* textsOf(chunk) {
  for (let at = 0; at + 6 <= chunk.length; ) {
    const opcode = chunk[at] & 15;
    let length = chunk[at + 1] & 127;
    at += 2;
    if (length === 126) {
      length = chunk.readUInt16BE(at);
      at += 2;
    }
    const mask = chunk.subarray(at, at + 4);
    const payload = chunk.subarray(at + 4, at + 4 + length).map((byte, i) => byte ^ mask[i % 4]);
    at += 4 + length;
    if (opcode === 1) yield Buffer.from(payload).toString();
  }
}

/** An update with other scores, another order of the lines and other ends of them. */
function variant(info, number) {
  const rotated = info.lines.map((_, index) => info.lines[(index + number) % info.lines.length]);
  const lines = rotated.map((line, index) => {
    const length = line.pv.length - ((number + index) % 5);
    return {
      ...line, rank: index + 1, depth: number,
      score: { type: "cp", value: 60 - 10 * index + (number % 9) },
      wdl: [300 + (number % 90), 500, 200 - (number % 90)],
      pv: line.pv.slice(0, length), pv_san: line.pv_san.slice(0, length),
    };
  });
  return { ...info, source: "search", depth: number, nodes: number * 54_321, nps: 800_123, lines };
}

/** Starts it before a real server, which answers all else. `info` is what it varies. */
export async function startFakeLive(target, info) {
  const [host, port] = target.split(":");
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const upstream = request({ host, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(upstream);
  });
  server.on("upgrade", ({ headers }, socket) => {
    const accept = createHash("sha1").update(headers["sec-websocket-key"] + GUID).digest("base64");
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n" +
      `Connection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n` +
      "Sec-WebSocket-Protocol: kibitzer.v1\r\n\r\n");
    let timer;
    let number = 0;
    const end = () => clearInterval(timer);
    socket.on("close", end).on("error", end).on("data", (chunk) => {
      for (const text of textsOf(chunk)) {
        const { type, id } = JSON.parse(text);
        if (type !== "go") continue;
        end();
        timer = setInterval(() => {
          socket.write(frame(JSON.stringify({ ...variant(info, ++number), id })));
        }, 100);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
