import { expect, test, vi } from "vitest";
import { forgetRecord, keepRecord, keptRecord, newKey, parseRecord } from "./record";

const record = {
  game: { fen: "startpos", moves: ["e2e4"] }, headers: [["White", "Ada"]], level: "quick",
  key: "k", job: "0123456789abcdef0123456789abcdef", isDone: false,
};

test("a kept review is read as it was written", () => {
  expect(parseRecord(JSON.stringify(record))).toEqual(record);
  expect(parseRecord(JSON.stringify({ ...record, job: null }))?.job).toBeNull();
});

test("what another version or person wrote is no review", () => {
  const broken = [
    null, "", "{", "null", "7", "[]", "{}", JSON.stringify({ ...record, level: "fast" }),
    JSON.stringify({ ...record, game: { fen: "x", moves: [1] } }),
    JSON.stringify({ ...record, job: "../limits" }),
    JSON.stringify({ ...record, headers: [["White", 3]] }),
  ];
  for (const text of broken) expect(parseRecord(text)).toBeNull();
});

test("a key is random and has visible characters alone", () => {
  expect(newKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newKey()).not.toBe(newKey());
});

test("a review is forgotten only while it is the one that is kept", () => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  });
  const [first, second] = ["a", "b"].map((key) => parseRecord(JSON.stringify({ ...record, key })));
  keepRecord(first!);
  keepRecord(second!);
  forgetRecord(first!);
  expect(keptRecord()).toEqual(second);
  forgetRecord(second!);
  expect(keptRecord()).toBeNull();
  vi.unstubAllGlobals();
});
