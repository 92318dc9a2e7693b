/** Servers that a test starts itself, and proxies before them. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { launch, serveFiles } from "./browser.mjs";

const SETTINGS = readFileSync(new URL("server.toml", import.meta.url), "utf8");

/** A key, and the settings of a server that needs it. */
export const KEY = "a-key-for-the-tests";
export const KEYS = `
[access]
required = true
[[access.keys]]
name = "board"
sha256 = "${createHash("sha256").update(KEY).digest("hex")}"
requests = 100000
window_ms = 60000
`;

/**
 * Starts a server with these settings besides the usual ones, as text of the file or as variables
 * of the environment, and waits for its address.
 */
export async function startServer({
  listen = "127.0.0.1:0", settings = "", workers = 1, env = {},
} = {}) {
  const config = join(mkdtempSync(join(tmpdir(), "board-")), "server.toml");
  writeFileSync(config, SETTINGS.replace("workers = 1", `workers = ${workers}`) + settings);
  const server = spawn(
    process.env.KIBITZER, ["serve", "--config", config, "--listen", listen],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } },
  );
  for await (const line of createInterface({ input: server.stdout })) {
    const { message, address } = JSON.parse(line);
    if (message === "listening") {
      server.stdout.resume();
      return { server, address };
    }
  }
  throw new Error("the server did not start");
}

/** Kills a server, as a crash would, and waits for its end. */
export async function stopServer(server) {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, "exit");
  server.kill("SIGKILL");
  await exit;
}

/** Waits until a condition holds. */
export async function until(condition, what) {
  const end = performance.now() + 20_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within 20 s: ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

/** A port that nobody listens on. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A proxy that passes requests on, but no WebSocket, as some networks have. */
export async function startProxy(target) {
  const [host, port] = target.split(":");
  const requests = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    requests.push(`${method} ${url}`);
    const isSearch = url.startsWith("/v1/analysis");
    const upstream = request({ host, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      if (isSearch) state.running += 1;
      answer.once("close", () => {
        if (isSearch) state.running -= 1;
        if (!answer.complete) outgoing.destroy();
      });
      answer.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  });
  proxy.on("upgrade", (incoming, socket) => {
    requests.push(`UPGRADE ${incoming.url}`);
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  /** `running` is the number of searches whose streams are open. */
  const state = {
    address: `127.0.0.1:${proxy.address().port}`, requests, running: 0,
    async stop() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, "close");
    },
  };
  return state;
}

/** A TCP proxy whose connections can be cut, as by a change of the network. */
export async function startTunnel(target) {
  const [host, port] = target.split(":");
  const sockets = new Set();
  const tunnel = createTcpServer((socket) => {
    const upstream = connect(Number(port), host);
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end.on("error", () => {});
    }
    socket.pipe(upstream);
    upstream.pipe(socket);
  });
  tunnel.listen(0, "127.0.0.1");
  await once(tunnel, "listening");
  return {
    address: `127.0.0.1:${tunnel.address().port}`,
    cut() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    async stop() {
      this.cut();
      tunnel.close();
      await once(tunnel, "close");
    },
  };
}

/** Opens the board of a server in a new browser, runs a claim, and closes it. */
export async function withPage(address, claim, { path = "", viewport } = {}) {
  const browser = await launch();
  try {
    const context = await browser.newContext(viewport ? { viewport } : {});
    await serveFiles(context);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await claim(page, () => page.goto(`http://${address}/${path}`));
  } finally {
    await browser.close();
  }
}
