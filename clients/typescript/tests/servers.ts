/** The servers of the tests: the real program, one that answers as a test says, and a proxy. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";

const SETTINGS = `
[search]
workers = 1
hash_mb = 16
[idle]
positions = 0
[metrics]
listen = "127.0.0.1:0"
[log]
format = "json"
level = "kibitzer::http=warn,info"
`;

/** A running program. */
export interface RunningServer {
  url: string;
  /** The number of searches that run now. */
  searchesRunning(): Promise<number>;
}

/** Starts the program with more settings, until the tests of the file end. */
export async function startKibitzer(settings = ""): Promise<RunningServer> {
  const config = join(mkdtempSync(join(tmpdir(), "clients-")), "server.toml");
  writeFileSync(config, SETTINGS + settings);
  const program = process.env["KIBITZER"] ?? "";
  const args = ["serve", "--config", config, "--listen", "127.0.0.1:0"];
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  after(async () => {
    server.kill("SIGKILL");
    await once(server, "close");
  });
  let metrics = "";
  for await (const line of createInterface({ input: server.stdout })) {
    const { message, address } = JSON.parse(line) as { message: string; address: string };
    if (message.startsWith("serving metrics")) metrics = `http://${address}/metrics`;
    if (message === "listening") {
      server.stdout.resume();
      return { url: `http://${address}`, searchesRunning: () => searchesRunning(metrics) };
    }
  }
  throw new Error("the server did not start");
}

async function searchesRunning(metrics: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  return Number(/^kibitzer_searches_running (\d+)/m.exec(text)?.[1]);
}

/** Starts a server that answers as the test says. */
export async function startFake(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  return listen(createServer(handler));
}

/** A proxy to a server that breaks its first connections after so many bytes of the answer. */
export async function startBreakingProxy(url: string, limits: number[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return listen(createTcpServer((client) => {
    const server = connect(Number(port), hostname);
    let left = limits.shift() ?? Infinity;
    client.on("error", () => undefined).on("close", () => server.destroy());
    server.on("error", () => undefined).on("close", () => client.destroy());
    client.pipe(server);
    server.on("data", (data) => {
      client.write(data.subarray(0, left));
      left -= data.length;
      if (left <= 0) client.destroySoon();
    });
  }));
}

/** An address that nobody listens on. */
export async function closedUrl(): Promise<string> {
  const server = createTcpServer();
  const url = await listening(server);
  server.close();
  await once(server, "close");
  return url;
}

async function listen(server: Server): Promise<string> {
  after(() => server.close());
  return listening(server);
}

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Waits until a condition holds, and returns the milliseconds that it took. */
export async function until(condition: () => Promise<boolean>): Promise<number> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > 10_000) throw new Error("the condition does not hold");
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
  return performance.now() - start;
}
