import { expect, test } from "vitest";
import { createCache } from "./cache";

test("a cache forgets the answer that was read longest ago", () => {
  const cache = createCache<number>(2);
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
});
