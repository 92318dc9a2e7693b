/** Servers that a test starts and kills itself. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const CONFIG = fileURLToPath(new URL("server.toml", import.meta.url));

/** Starts a server and waits for its address. `env` are further settings. */
export async function startServer(listen, env = {}) {
  const server = spawn(
    process.env.KIBITZER,
    ["serve", "--config", CONFIG, "--listen", listen],
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
