import { expect, test } from "vitest";
import type { TreeNode } from "./node";
import { clockAt, playerOf } from "./player-info";
import { hasPlayers } from "./players";

const nodes = (...comments: string[]) =>
  comments.map((comment, ply) => ({ ply, comments: [comment] }) as unknown as TreeNode);

test("unknown names, titles and ratings are not shown", () => {
  const tags = new Map([["White", "Carlsen, M"], ["WhiteElo", "2850"], ["WhiteTitle", "GM"],
    ["Black", "?"], ["BlackElo", "-"]]);
  expect(playerOf(tags, "white")).toEqual({ name: "Carlsen, M", title: "GM", rating: "2850" });
  expect(playerOf(tags, "black")).toEqual({ name: null, title: null, rating: null });
});

test("a game has players where one of them is named", () => {
  expect(hasPlayers(new Map())).toBe(false);
  expect(hasPlayers(new Map([["White", "?"], ["Black", " "]]))).toBe(false);
  expect(hasPlayers(new Map([["White", "?"], ["Black", "李"]]))).toBe(true);
});

test("the clock is that after the player's last move, at first the one of the time control", () => {
  const tags = new Map([["TimeControl", "5400+30"]]);
  const line = nodes("", "[%clk 1:29:50]", "no clock", "[%clk 1:20:00]", "[%clk 0:05:09]");
  const at = (count: number) => (["white", "black"] as const)
    .map((color) => clockAt(tags, color, line.slice(0, count), line));
  expect(at(1)).toEqual(["1:30:00", "1:30:00"]);
  expect(at(3)).toEqual(["1:29:50", "1:30:00"]);
  expect(at(5)).toEqual(["1:20:00", "5:09"]);
  expect(clockAt(tags, "white", nodes(""), nodes("", ""))).toBe(null);
  expect(clockAt(new Map([["TimeControl", "-"]]), "white", line.slice(0, 1), line)).toBe(null);
});
