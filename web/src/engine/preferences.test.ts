import { afterEach, expect, test, vi } from "vitest";
import { keepPreferences, limitChoices, parsePreferences, searchLimit } from "./preferences";
import type { Limits } from "./protocol";

afterEach(() => vi.unstubAllGlobals());

test("kept choices that are broken, unknown or out of range have their defaults", () => {
  const defaults = { multipv: 3, limit: "infinite" };
  for (const text of [null, "", "{", "[]", "null", '{"multipv": 0, "limit": "depth 7"}',
    '{"multipv": "3"}', '{"multipv": 99}']) {
    expect(parsePreferences(text), String(text)).toEqual(defaults);
  }
  expect(parsePreferences('{"multipv": 5, "limit": "time 3"}'))
    .toEqual({ multipv: 5, limit: "time 3" });
});

test("a limit is depth, time or none", () => {
  expect(searchLimit("depth 20")).toEqual({ depth: 20 });
  expect(searchLimit("time 3")).toEqual({ movetime_ms: 3_000 });
  expect(searchLimit("infinite")).toEqual({ infinite: true });
});

test("limits beyond the server's are not offered", () => {
  const limits = { depth: { max: 16 }, movetime_ms: { max: 3_000 } } as Limits;
  expect(limitChoices(limits).map(({ name }) => name))
    .toEqual(["infinite", "depth 12", "depth 16", "time 1", "time 3"]);
});

test("a changed choice leaves the other one as another tab has kept it", () => {
  let stored = '{"multipv": 5, "limit": "time 3"}';
  vi.stubGlobal("localStorage", {
    getItem: () => stored, setItem: (_: string, text: string) => { stored = text; },
  });
  keepPreferences({ limit: "depth 20" });
  expect(parsePreferences(stored)).toEqual({ multipv: 5, limit: "depth 20" });
});
