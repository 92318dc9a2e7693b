import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createOverlays } from "../board/overlays";
import { Refusal, type Client } from "../engine/client";
import type { Engine } from "../engine/store";
import { createTreeStore } from "../tree/store";
import type { ExploredPosition } from "./protocol";
import { rowsOf } from "./rows";
import { createExplorer } from "./store";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ONGOING: ExploredPosition = {
  status: "ongoing", winner: null, draw_reason: null, claims: [], turn: "white", opening: null,
  known: null, moves: [],
};

type Respond = (fen: string, moves: readonly string[]) => Partial<ExploredPosition>;

/** An explorer with a server that answers `/v1/explore` by a function. */
function withExplorer(respond: Respond) {
  const asked: string[] = [];
  const [isSearching, setSearching] = createSignal(true);
  const client = {
    key: () => null,
    async request(path: string) {
      const query = new URL(path, "http://server").searchParams;
      const moves = query.get("moves")?.split(",") ?? [];
      asked.push(moves.join(" "));
      return { ...ONGOING, ...respond(query.get("fen") ?? "", moves) };
    },
  } as unknown as Client;
  const engine = {
    state: { connection: "open", get isSearching() { return isSearching(); } },
  } as unknown as Engine;
  return createRoot((dispose) => {
    const tree = createTreeStore();
    const explorer = createExplorer({ tree, engine, client, overlays: createOverlays() });
    const pass = () => vi.advanceTimersByTimeAsync(1_000);
    return { tree, explorer, asked, setSearching, pass, dispose };
  });
}

test("the last name of a line stays after the last named position", async () => {
  const { tree, explorer, pass, dispose } = withExplorer((_, moves) => ({
    opening: moves[0] === "e2e4" ? { eco: "B00", name: "King's Pawn Game" } : null,
  }));
  await pass();
  expect(explorer.opening()).toBeNull();
  tree.play("e2e4");
  await pass();
  expect(explorer.opening()?.name).toBe("King's Pawn Game");
  tree.play("a7a6");
  // Before the answer comes, and after it.
  expect(explorer.opening()?.name).toBe("King's Pawn Game");
  await pass();
  expect(explorer.opening()?.eco).toBe("B00");
  tree.start();
  expect(explorer.opening()).toBeNull();
  dispose();
});

test("moves that the server refuses are left out, and the reason is kept", async () => {
  const detail = "moves has 1600 entries; at most 1200 are allowed";
  const { tree, explorer, asked, pass, dispose } = withExplorer((_, moves) => {
    if (moves.length === 0) return {};
    const errors = [{ code: "out_of_range", pointer: "/moves", detail }];
    throw new Refusal({ title: "No", status: 422, code: "invalid_request", detail, errors });
  });
  tree.play("e2e4");
  await pass();
  expect(asked.slice(-2)).toEqual(["e2e4", ""]);
  expect(explorer.explored()?.withoutMoves?.text).toBe(`M${detail.slice(1)}.`);
  expect(explorer.problem()).toBeNull();
  dispose();
});

test("a position after the end of the game says so", async () => {
  const { tree, explorer, pass, dispose } = withExplorer((_, moves) => {
    if (moves.length === 0) return {};
    throw new Refusal({ title: "No", status: 422, code: "illegal_move" });
  });
  tree.play("e2e4");
  await pass();
  expect(explorer.state()).toBe("The game was drawn before this position.");
  dispose();
});

test("opening the panel asks again, and so does the end of a search while it is open", async () => {
  const { explorer, asked, setSearching, pass, dispose } = withExplorer(() => ({}));
  await pass();
  setSearching(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(1);
  explorer.setOpen(true);
  await pass();
  expect(asked).toHaveLength(2);
  setSearching(true);
  setSearching(false);
  await pass();
  expect(asked).toHaveLength(3);
  // The answer has no result yet, so the explorer asks twice more.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(5);
  dispose();
});

test("an expanded move shows the known moves after it, at most three moves ahead", async () => {
  const known = { score: { type: "cp", value: -20 }, depth: 9, age_ms: 0 } as const;
  const move = (uci: string) =>
    ({ uci, san: uci, status: "ongoing", known, score: { type: "cp", value: 20 } }) as const;
  const { explorer, asked, pass, dispose } = withExplorer((_, moves) => ({
    turn: moves.length % 2 === 0 ? "white" : "black",
    moves: [["e2e4", "d2d4"], ["e7e5"], ["g1f3"]][moves.length]?.map(move) ?? [],
  }));
  const rows = () => {
    const kept = explorer.kept(explorer.line().key)!;
    return rowsOf(kept, explorer).map(({ level, san, score, hint, isExpanded }) =>
      `${level} ${hint ?? `${san} ${score} ${isExpanded}`}`);
  };
  explorer.setOpen(true);
  await pass();
  expect(rows()).toEqual(["1 e2e4 +0.20 false", "1 d2d4 +0.20 false"]);
  explorer.toggleAhead(["e2e4"]);
  expect(rows()[1]).toBe("2 Loading…");
  await pass();
  explorer.toggleAhead(["e2e4", "e7e5"]);
  await pass();
  expect(rows()).toEqual([
    "1 e2e4 +0.20 true", "2 e7e5 −0.20 true", "3 g1f3 +0.20 null", "1 d2d4 +0.20 false",
  ]);
  expect(asked).toEqual(["", "e2e4", "e2e4 e7e5"]);
  explorer.toggleAhead(["e2e4"]);
  expect(rows()).toHaveLength(2);
  dispose();
});
