import { expect, test } from "vitest";
import { makeLink, MAX_LINK, readLink } from "./link";
import { writePgn } from "./pgn-write";
import { randomTree, seeded } from "./random-games";
import { pack, unpack, type View } from "./saved";
import { annotate, newTree, nodeOf, pathTo, playLine, ROOT, type Tree } from "./tree";

const view = (tree: Tree, current = ROOT): View => ({ tree, current, orientation: "black" });
const BASE = "http://127.0.0.1:8080/";

test("200 trees come back from storage as they were, with the shown move", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const tree = randomTree(seed);
    const current = seeded(seed).pick([...tree.nodes.keys()]);
    const back = unpack(pack(view(tree, current)))!;
    expect(writePgn(back.tree)).toBe(writePgn(tree));
    expect(nodeOf(back.tree, back.current).fen).toBe(nodeOf(tree, current).fen);
    expect(back.orientation).toBe("black");
  }
});

test("a text of another kind is not a tree", () => {
  const odd = [
    "", "null", "[]", "{}", "nonsense", '{"moves":3}', '{"moves":"e2e5"}',
    '{"moves":"e2e4","fen":"x"}',
  ];
  for (const text of odd) expect(unpack(text), text).toBeNull();
  expect(unpack('{"moves":"e2e4 ) ) (","tags":[3],"notes":{"1":[["x",1],[2],null],"9":[]}}'))
    .toMatchObject({ current: ROOT, orientation: "white" });
});

test("a link holds the whole tree", async () => {
  const tree = randomTree(3);
  const current = [...tree.nodes.keys()].at(-1)!;
  const { fragment, leftOut } = await makeLink(view(tree, current), BASE);
  expect(leftOut).toBeNull();
  expect(fragment).toMatch(/^1\.[\w-]+$/);
  const read = await readLink(fragment);
  expect("view" in read && writePgn(read.view.tree)).toBe(writePgn(tree));
  expect("view" in read && read.view.current).toBe(current);
});

/** A tree whose comments cannot be made shorter. */
function longTree(comments: number, variations: number): Tree {
  const random = seeded(7);
  const noise = () => Array.from({ length: 300 }, () => random.below(36).toString(36)).join("");
  const moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(30).trim().split(" ");
  let { tree } = playLine(newTree(), ROOT, moves);
  for (let id = 1; id <= comments; id++) tree = annotate(tree, id, { comments: [noise()] });
  for (let count = 0; count < variations; count++) {
    const line = Array.from({ length: 20 }, () => random.pick(["a2a3", "b2b3", "c2c3", "d2d3"]));
    const at = 2 * random.below(50);
    const black = ["a7a6", "b7b6", "c7c6", "d7d6", "e7e6", "f7f6", "g7g6", "h7h6"];
    tree = playLine(tree, at, line.flatMap((move) => [move, random.pick(black)])).tree;
  }
  return tree;
}

test("a link that would be too long says what was left out", async () => {
  const commented = await makeLink(view(longTree(100, 0), 7), BASE);
  expect(commented.leftOut).toBe("the comments");
  expect(commented.fullLength).toBeGreaterThan(MAX_LINK);
  const read = await readLink(commented.fragment);
  expect("view" in read && pathTo(read.view.tree, read.view.current)).toHaveLength(8);
});

test("broken links are sentences", async () => {
  const { fragment } = await makeLink(view(randomTree(3)), BASE);
  const problem = async (text: string) => {
    const read = await readLink(text);
    return "problem" in read ? read.problem : null;
  };
  expect(await problem("section")).toContain("is not a link of this board");
  expect(await problem("7.abc")).toBe("The link is of version 7; this board reads version 1.");
  for (const text of [fragment.slice(0, -9), "1.!!!", "1.AAAA", fragment.replace(/^1\../, "1.")]) {
    expect(await problem(text), text).toContain("The link is damaged");
  }
});

test("a link that grows without end is damaged", async () => {
  const zeros = new Blob([new Uint8Array(30_000_000)]).stream();
  const packed = await new Response(zeros.pipeThrough(new CompressionStream("deflate-raw")))
    .arrayBuffer();
  const read = await readLink(`1.${Buffer.from(packed).toString("base64url")}`);
  expect(read).toHaveProperty("problem");
});
