import { afterEach, expect, test, vi } from "vitest";
import { gameDetails, gameName } from "./game-name";
import { fileName } from "./download";
import { decodeText, MAX_TEXT, openText } from "./open";
import { writePgn } from "./pgn-write";
import { randomTree } from "./random-games";
import { newTree, nodeOf, ROOT } from "./tree";

const open = (text: string) => openText(text, () => {});

afterEach(() => void vi.restoreAllMocks());

test("files of old programs are read, too", () => {
  const encoded = (...bytes: number[]) => new Uint8Array(bytes).buffer;
  expect(decodeText(new TextEncoder().encode("Müller – “Ö”").buffer)).toBe("Müller – “Ö”");
  expect(decodeText(encoded(0x4d, 0xfc, 0x6c))).toBe("Mül");
  expect(decodeText(encoded(0xff, 0xfe, 0x4d, 0, 0xfc, 0))).toBe("Mü");
  expect(decodeText(encoded())).toBe("");
});

test("a text is a position, a game, many games, or a problem", async () => {
  const fen = await open("4k3/8/8/8/8/8/8/4K3 b - - 0 9");
  expect(fen.kind === "tree" && nodeOf(fen.tree, ROOT).ply).toBe(17);
  expect(await open("1. e4 e5")).toMatchObject({ kind: "tree", problems: [] });
  expect(await open("1. e4 Ke7 e5")).toMatchObject({
    kind: "tree", problems: ["1… Ke7 is not a legal move. The moves before it can be opened."],
  });
  expect(await open("1. e4 *\n\n1. d4 *")).toMatchObject({ kind: "games", games: { length: 2 } });
  const problems = {
    " ": "Paste a PGN or a FEN", "hello world": "neither a FEN nor a PGN", "1. e5": "1. e5 is not",
    "4k3/8/8/8/8/8/8/8": "The FEN is wrong: Each side", '[FEN "x"]\n\n*': "The tag FEN is wrong",
  };
  for (const [text, problem] of Object.entries(problems)) {
    expect(await open(text)).toEqual({
      kind: "problem", problems: [expect.stringContaining(problem)],
    });
  }
  expect(await open("x".repeat(MAX_TEXT + 1))).toMatchObject({
    problems: [expect.stringContaining("larger than 20 MB")],
  });
});

test("5 MB of games are split in slices, with progress", async () => {
  // Each reading of the clock is 0.1 ms later: the slices do not depend on the machine's speed.
  let readings = 0;
  vi.spyOn(performance, "now").mockImplementation(() => readings++ / 10);
  const one = `[Event "A"]\n\n${writePgn(randomTree(2))}\n`;
  const shares: number[] = [];
  const text = one.repeat(Math.ceil(5_000_000 / one.length));
  const opened = await openText(text, (share) => shares.push(share));
  expect(opened.kind === "games" && opened.games.length).toBe(text.length / one.length);
  expect(shares.length).toBeGreaterThan(3);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
}, 60_000);

test("games and their files have names", () => {
  const tags = new Map([
    ["White", "Carlsen, M"], ["Black", "?"], ["Event", "Oslo"], ["Date", "2024.??.??"],
  ]);
  expect(gameName(tags)).toBe("Carlsen, M – ?");
  expect(gameDetails(tags)).toBe("Oslo, 2024");
  expect(gameName(new Map([["White", "?"]]))).toBeNull();
  expect(fileName(newTree(undefined, tags))).toBe("Carlsen-M-2024.pgn");
  expect(fileName(newTree())).toBe("analysis.pgn");
});
