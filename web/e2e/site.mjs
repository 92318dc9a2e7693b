/**
 * A server's address as behind a proxy, which can answer in place of the server. It serves
 * BOARD_FILES where they are set: the requests of a service worker do not pass `serveFiles`.
 */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

const { BOARD_FILES } = process.env;
const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", md: "text/plain" };
const isPart = (path) => path === "/" || path.startsWith("/assets/");

/** A part of the page as text, from BOARD_FILES if they are set. */
async function partOf(target, path) {
  const answer = await fetch(`http://${target}${path}`);
  const { "content-encoding": _, "content-length": __, ...headers } =
    Object.fromEntries(answer.headers);
  if (!BOARD_FILES) return { status: answer.status, headers, text: await answer.text() };
  const file = join(BOARD_FILES, path === "/" ? "index.html" : path);
  const packed = existsSync(`${file}.gz`);
  if (!packed && !existsSync(file)) return { status: 404, headers: {}, text: "" };
  const text = packed ? gunzipSync(readFileSync(`${file}.gz`)) : readFileSync(file);
  return {
    status: 200, text: text.toString(),
    headers: {
      "content-security-policy": headers["content-security-policy"] ?? "default-src 'self'",
      "content-type": TYPES[file.split(".").at(-1)],
      ...(file.endsWith("service-worker.js") ? { "service-worker-allowed": "/" } : {}),
    },
  };
}

function pass(incoming, outgoing, target) {
  const [host, port] = target.split(":");
  const { method, url, headers } = incoming;
  const upstream = request({ host, port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  upstream.on("error", () => outgoing.destroy());
  outgoing.on("close", () => upstream.destroy());
  incoming.pipe(upstream);
}

/**
 * Starts the proxy. `answers` has what it answers by itself, by paths: a status, or a function that
 * changes the text of the server's answer.
 */
export async function startSite(target) {
  const answers = new Map();
  const site = createServer(async (incoming, outgoing) => {
    const path = incoming.url.split("?")[0];
    const own = answers.get(path);
    if (typeof own === "number") {
      outgoing.writeHead(own, { "content-type": "text/html" }).end(`Status ${own} of the proxy`);
    } else if (isPart(path)) {
      const { status, headers, text } = await partOf(target, path).catch(() => ({ status: 502 }));
      const body = own ? own(text) : (text ?? "");
      outgoing.writeHead(status, { ...headers, "content-encoding": "gzip" });
      outgoing.end(gzipSync(body, { level: 9 }));
    } else pass(incoming, outgoing, target);
  });
  const sockets = new Set();
  site.on("upgrade", (incoming, socket) => {
    const [host, port] = target.split(":");
    const upstream = connect(Number(port), host);
    const lines = incoming.rawHeaders.map((text, at) => text + (at % 2 ? "\r\n" : ": "));
    upstream.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end.on("error", () => undefined);
      end.on("close", () => [socket, upstream].forEach((other) => other.destroy()));
    }
    upstream.pipe(socket).pipe(upstream);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  return {
    address: `127.0.0.1:${site.address().port}`,
    answers,
    async stop() {
      if (!site.listening) return;
      for (const socket of sockets) socket.destroy();
      site.closeAllConnections();
      site.close();
      await once(site, "close");
    },
  };
}
