/** The opening of a WebSocket, and why it failed. */
import { KibitzerError, KibitzerNetworkError } from "./errors.js";
import type { CallOptions, Transport } from "./transport.js";
import type { Schemas } from "./types.js";

/** What the client needs of a WebSocket: that of browsers, of Node.js 22, or of a package. */
export interface WebSocketLike {
  readonly readyState: number;
  // The event types of the implementations have nothing in common.
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export type WebSocketConstructor = new (url: string, protocol: string) => WebSocketLike;

const PATH = "/v1/live";

const OPEN_TIMEOUT_MS = 10_000;

/** Opens the WebSocket of a live board, by a ticket if the client has a key. */
export async function openSocket(
  transport: Transport, constructor: WebSocketConstructor | undefined, { signal }: CallOptions,
): Promise<WebSocketLike> {
  const Socket = constructor ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
  if (Socket === undefined) {
    throw new TypeError(
      "this platform has no WebSocket; pass one as the option WebSocket, such as that of `ws`",
    );
  }
  signal?.throwIfAborted();
  const query: { ticket?: string } = {};
  if (transport.hasKey) {
    // A browser cannot send a key with the handshake.
    const request = { method: "POST", path: "/v1/tickets" } as const;
    query.ticket = (await transport.json<Schemas["Ticket"]>(request, { signal })).ticket;
  }
  const address = transport.address(PATH, query);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new Socket(address.href, "kibitzer.v1");
  if (!(await hasOpened(socket, signal))) throw await refusalOf(transport, { signal });
  return socket;
}

function hasOpened(socket: WebSocketLike, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      end();
    };
    const abort = () => settle(() => {
      socket.close();
      reject(signal?.reason);
    });
    const timer = setTimeout(() => settle(() => {
      socket.close();
      resolve(false);
    }), OPEN_TIMEOUT_MS);
    signal?.addEventListener("abort", abort, { once: true });
    socket.onopen = () => settle(() => resolve(true));
    socket.onerror = () => undefined;
    socket.onclose = () => settle(() => resolve(false));
  });
}

/** A WebSocket hides why it was refused. The same request without a handshake tells. */
async function refusalOf(transport: Transport, options: CallOptions): Promise<unknown> {
  try {
    await transport.text({ method: "GET", path: PATH }, options);
  } catch (error) {
    const isReady = error instanceof KibitzerError && error.code === "upgrade_required";
    if (!isReady) return error;
  }
  return new KibitzerNetworkError(
    `${PATH}: the WebSocket was refused: a proxy does not pass it on, or the server does not ` +
    "list the origin of this page",
  );
}
