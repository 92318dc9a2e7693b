import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveSocket } from "./live-socket";
import type { SearchRequest, ServerMessage } from "./protocol";
import { MAX_SILENCE_MS } from "./silence";

/** A socket whose server says what the test says. */
class FakeSocket {
  static readonly OPEN = 1;
  static last: FakeSocket;
  readyState = 0;
  sent: { type: string; id?: unknown }[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  constructor(readonly url: URL) {
    FakeSocket.last = this;
  }
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.readyState = 3;
  }
  open() {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }
  say(message: object) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const request: SearchRequest = {
  fen: "startpos", moves: [], multipv: 1, searchmoves: null, limit: { infinite: true },
};

function openSocket(ticket: string | null = null) {
  const messages: ServerMessage[] = [];
  const closes: [number, boolean][] = [];
  let spent = 0;
  const budget = { spend: () => void (spent += 1) };
  const live = new LiveSocket(ticket, budget, {
    onOpen: () => live.search(1, request),
    onMessage: (message) => messages.push(message),
    onClose: (...close) => closes.push(close),
  });
  return { live, socket: FakeSocket.last, messages, closes, spent: () => spent };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { href: "https://chess.example/" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("position and search are sent together once the socket opens, with a ticket", () => {
  const { socket, spent } = openSocket("abc");
  expect(spent()).toBe(1);
  expect(socket.url.href).toBe("wss://chess.example/v1/live?ticket=abc");
  expect(socket.sent).toEqual([]);
  socket.open();
  expect(socket.sent.map(({ type }) => type)).toEqual(["position", "go"]);
  expect(spent()).toBe(2);
});

test("a socket that does not open has failed", () => {
  const { closes } = openSocket();
  vi.advanceTimersByTime(10_000);
  expect(closes).toEqual([[1006, false]]);
});

test("a socket that falls silent during a search is given up, a quiet one without is kept", () => {
  const { socket, closes } = openSocket();
  socket.open();
  socket.say({ type: "ready", id: "position 1" });
  vi.advanceTimersByTime(MAX_SILENCE_MS - 1);
  socket.say({ type: "heartbeat", id: 1 });
  vi.advanceTimersByTime(MAX_SILENCE_MS - 1);
  expect(closes).toEqual([]);
  socket.say({ type: "end", id: 1, reason: "depth" });
  vi.advanceTimersByTime(10 * MAX_SILENCE_MS);
  expect(closes).toEqual([]);
  const other = openSocket();
  other.socket.open();
  vi.advanceTimersByTime(MAX_SILENCE_MS);
  expect(other.closes.map(([code]) => code)).toEqual([1006]);
});

test("a refused position stops the search that was sent with it", () => {
  const { socket, messages } = openSocket();
  socket.open();
  socket.say({ type: "problem", id: "position 1", code: "invalid_fen", title: "Invalid FEN" });
  expect(messages).toEqual([{ type: "problem", id: 1, code: "invalid_fen", title: "Invalid FEN" }]);
  expect(socket.sent.at(-1)).toEqual({ type: "stop" });
});
