import { afterEach, expect, test, vi } from "vitest";
import { keepMembers, membersOf } from "./storage";

afterEach(() => vi.unstubAllGlobals());

test("what is not an object has no members", () => {
  for (const text of [null, "", "{", "null", "3", '"text"']) {
    expect(membersOf(text), String(text)).toEqual({});
  }
  expect(membersOf('{"theme": "dark"}')).toEqual({ theme: "dark" });
});

test("a kept member leaves those that another tab has kept", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
  });
  keepMembers("settings", { theme: "dark" });
  stored.set("kibitzer.settings", '{"theme": "light", "sounds": "on"}');
  keepMembers("settings", { coordinates: "off" });
  expect(membersOf(stored.get("kibitzer.settings") ?? null))
    .toEqual({ theme: "light", sounds: "on", coordinates: "off" });
});
