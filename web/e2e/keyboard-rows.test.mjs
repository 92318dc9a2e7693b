/**
 * What the board does, by keyboard alone: each feature that keyboard.test.mjs leaves. Texts that a
 * user would copy elsewhere are put into the clipboard by script.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { expectLines, expectMoves } from "./browser.mjs";
import { expectListed, fileOf } from "./games.mjs";
import { expectCurrent, expectMarked, page, post } from "./inspect-steps.mjs";
import * as keys from "./keys.mjs";
import { KEY, KEYS, startServer, stopServer } from "./own-server.mjs";
import { review, storedJob } from "./reviewed-game.mjs";

const press = (...pressed) => keys.press(page(), ...pressed);
const type = (text) => keys.typeAndEnter(page(), text);
const tabTo = (name) => keys.tabTo(page(), name);
const backTo = (name) => keys.goTo(page(), "Shift+Tab", name);
const downTo = (name) => keys.goTo(page(), "ArrowDown", name);

const expectText = (shown) => page().getByText(shown).first().waitFor();
const dialog = (name) => page().getByRole("dialog", { name });
const expectDepthAbove = (least) => page().waitForFunction((depth) => Number(
  document.querySelector(".engine .depth")?.textContent.match(/\d+/)[0]) > depth, least);

/** Types moves into the field for moves, and leaves it. */
async function play(...moves) {
  await press("m");
  for (const move of moves) await type(move);
  await page().locator(".move[aria-current]", { hasText: moves.at(-1) }).waitFor();
  await press("Escape");
}

/** Pauses the engine, so that its lines stay as they are. */
async function pause() {
  await press("l");
  await expectText("The engine is paused.");
}

/** Chooses a command of the menu “Game”. */
async function gameMenu(command) {
  await tabTo("Game");
  await press("Enter");
  await page().getByRole("menuitem", { name: command }).waitFor();
  await downTo(command);
  await press("Enter");
}

/** Pastes a text where the focus is. */
async function paste(pasted) {
  await page().context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page().evaluate((copied) => navigator.clipboard.writeText(copied), pasted);
  await press("Control+v");
}

/** What a command of the menu “Game” puts into the clipboard. */
async function copied(command) {
  await page().context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page().evaluate(() => navigator.clipboard.writeText(""));
  await gameMenu(command);
  for (;;) {
    const read = await page().evaluate(() => navigator.clipboard.readText());
    if (read !== "") return read;
  }
}

test("the engine is limited, goes deeper, goes on without limit, and pauses", async () => {
  // A position that no other test searches.
  await play("Nh3", "a5", "Rg1");
  await tabTo("Limit of the analysis");
  await press("ArrowDown");
  await page().getByRole("button", { name: "Deeper", disabled: false }).waitFor();
  await expectDepthAbove(11);
  const ended = await page().locator(".engine .depth").innerText();
  await tabTo("Deeper");
  await press("Enter");
  await expectDepthAbove(Number(ended.match(/\d+/)[0]));
  await backTo("Limit of the analysis");
  await press("ArrowUp");
  await expectText("The engine is searching.");
  await backTo("Pause");
  await press("Enter");
  await expectText("The engine is paused.");
  await press("Enter");
  await expectText("The engine is searching.");
  await press("z");
  await expectText("Hidden. Press z to show the engine.");
});

test("the best move and a move of a line are played, which is previewed before", async () => {
  const shown = page().locator(".pv-move[data-row='0']");
  await shown.nth(2).waitFor();
  await pause();
  const moves = await shown.allInnerTexts();
  const sans = moves.slice(0, 3).map((move) => move.split(" ").at(-1));
  await press(" ");
  await expectMoves(page(), sans[0]);
  await press("Control+z");
  await expectMoves(page());
  await tabTo(moves[0]);
  await press("ArrowRight", "ArrowRight");
  await page().locator(".line-preview piece").first().waitFor();
  await press("Enter");
  await expectMoves(page(), ...sans);
  await tabTo("Number of lines");
  await press("ArrowUp");
  await page().waitForFunction(() => document.querySelectorAll(".line").length === 2);
});

test("arrows show the lines and the threat, and the user's own are drawn", async () => {
  const expectArrows = (count) => page().waitForFunction((wanted) =>
    document.querySelectorAll("svg.cg-shapes line").length === wanted, count);
  const expectDrawn = (name) => page().waitForFunction((wanted) =>
    [...document.querySelectorAll(".board .cg-shapes [cgHash]")].some((shape) =>
      `,${shape.getAttribute("cgHash")},`.includes(`,${wanted},`)), name);
  await expectLines(page(), "1\\.");
  await press("a");
  await expectArrows(3);
  await press("a");
  await expectArrows(1);
  await press("x");
  await page().locator(".chip.threat", { hasText: /^Threat: \S+ \(/ }).waitFor();
  await press("x");
  await page().locator(".chip").waitFor({ state: "detached" });
  await press("b", "d", "ArrowUp", "ArrowUp", "1", "d", "2");
  await expectDrawn("e2,e4,green");
  await expectDrawn("e4,red");
});

test("a move is left out of the analysis, and another is analysed alone", async () => {
  await expectLines(page(), "1\\.");
  await pause();
  const firstMoves = page().locator(".pv-move[data-index='0']");
  const san = (move) => move.split(" ").at(-1);
  const [first] = (await firstMoves.allInnerTexts()).map(san);
  const chip = page().locator(".chip");
  await tabTo("More about line 1");
  await press("Enter");
  await downTo("Analyse without this move");
  await press("Enter");
  await chip.filter({ hasText: `Without ${first}` }).waitFor();
  await page().waitForFunction((left) => {
    const lines = [...document.querySelectorAll(".pv-move[data-index='0']")];
    return lines.length > 0 && lines.every(({ textContent }) => !textContent.endsWith(` ${left}`));
  }, first);
  await backTo(`Remove “Without ${first}”`);
  await press("Enter");
  await chip.waitFor({ state: "detached" });
  await firstMoves.nth(2).waitFor();
  await pause();
  const [, second] = (await firstMoves.allInnerTexts()).map(san);
  await tabTo("More about line 2");
  await press("Enter");
  await downTo("Analyse only this move");
  await press("Enter");
  await chip.filter({ hasText: `Only ${second}` }).waitFor();
  await page().waitForFunction(() => document.querySelectorAll(".line:has(.pv-move)").length === 1);
  assert.equal(san(await firstMoves.innerText()), second);
});

test("the tree takes variations, comments, glyphs, promotion, deletion and undo", async () => {
  const menu = async (command) => {
    await press("Shift+F10");
    await page().getByRole("menu", { name: /^Menu of/ }).waitFor();
    await downTo(command);
    await press("Enter");
  };
  await play("e4", "e5", "Nf3");
  await press("ArrowLeft", "ArrowLeft");
  await play("c5");
  await expectListed(page(), "e4 e5 [c5] Nf3");
  await press("c");
  await type("Sharp");
  const comment = page().locator(".move-list .comment", { hasText: "Sharp" });
  await comment.waitFor();
  await press("1");
  await page().getByRole("img", { name: "Good move" }).waitFor();
  await press("g");
  await keys.goTo(page(), "ArrowRight", "Unclear position");
  await press("Enter", "Escape");
  await page().getByRole("img", { name: "Unclear position" }).waitFor();
  await menu("Promote variation");
  await expectListed(page(), "e4 [c5] e5 Nf3");
  await menu("Demote line");
  await expectListed(page(), "e4 e5 [c5] Nf3");
  await menu("Make main line");
  await expectListed(page(), "e4 [c5] e5 Nf3");
  await menu("Delete from here");
  await expectListed(page(), "[e4] e5 Nf3");
  await press(...Array(7).fill("Control+z"));
  await expectListed(page(), "e4 e5 [c5] Nf3");
  await comment.waitFor({ state: "detached" });
  await press(...Array(3).fill("Control+y"));
  await comment.waitFor();
  await page().getByRole("img", { name: "Unclear position" }).waitFor();
  // At a fork the arrow keys choose.
  await press("Shift+ArrowLeft");
  await expectListed(page(), "[e4] e5 c5 Nf3");
  await press("ArrowUp", "ArrowRight");
  await expectListed(page(), "e4 [e5] c5 Nf3");
  await press("ArrowLeft", "ArrowDown", "Enter");
  await expectListed(page(), "e4 e5 [c5] Nf3");
  await press("ArrowLeft");
  await tabTo("1… e5");
  await press("Enter");
  await expectListed(page(), "e4 [e5] c5 Nf3");
});

test("a blunder is judged, then reviewed, found by its key and practised", async () => {
  await play("f3", "e5", "g4");
  await page().locator(".judgement", { hasText: "Blunder: g4 allows mate in 1" }).waitFor();
  await play("Qh4");
  await press("r");
  await tabTo(/^Depth of the review/);
  await press("ArrowUp");
  await backTo("Review the game");
  await press("Enter");
  await page().locator(".players .strong", { hasText: "%" }).first().waitFor({ timeout: 150_000 });
  const job = await storedJob(page());
  const { games: [{ moves }] } = await review(page(), `/v1/games/${job}?pov=white`);
  const shown = (ply) => page().locator(`.point[data-ply="${ply}"][aria-current]`).waitFor();
  const mistakes = moves.filter((move) => move.judgement);
  await press("Home", "n");
  await shown(mistakes[0].ply);
  await press("End", "p");
  await shown(mistakes.at(-1).ply);
  await tabTo(/White's winning chance/);
  await press("Home");
  await shown(1);
  const own = mistakes.filter(({ ply }) => ply % 2 === 1);
  const feedback = page().locator(".feedback");
  await tabTo("Practise White");
  await press("Enter");
  await expectText(`1 of ${own.length}`);
  await press("m");
  await type(own[0].san);
  await feedback.filter({ hasText: `${own[0].san} was played in the game.` }).waitFor();
  await type(own[0].best_san);
  await feedback.filter({ hasText: /^Right!.* is the best move\.$/ }).waitFor();
  await press("Enter");
  for (let left = own.length - 1; left > 0; left--) {
    await expectText(`${own.length - left + 1} of ${own.length}`);
    await tabTo("Show the solution");
    await press("Enter");
    await feedback.filter({ hasText: "The best move is" }).waitFor();
    await press("Enter");
  }
  await expectText(`Better moves found at the first try: 0 of ${own.length}`);
  await tabTo("Back to the review");
  await press("Enter");
  await tabTo("Add to the moves");
  await press("Enter");
  await page().locator(".move.other").first().waitFor();
});

test("the opening is named, known moves are played, and pieces have values", async () => {
  await pause();
  for (const moves of [["e4", "c5", "Nf3"], ["e4", "c5", "Nc3"]]) {
    await post("/v1/best-move", { fen: "startpos", moves, nodes: 20_000 });
  }
  await play("e4", "c5");
  await page().locator(".opening-name", { hasText: /^B20 Sicilian Defense/ }).waitFor();
  await press("e");
  const rows = page().locator(".known-move");
  await rows.nth(1).waitFor();
  await tabTo(/^\S*N[cf]3, /);
  const known = await page().evaluate(() => document.activeElement.dataset.moves);
  await press(" ");
  await expectMoves(page(), "e4", "c5", known === "g1f3" ? "Nf3" : "Nc3");
  await press("v");
  await page().locator(".piece-value text").first().waitFor();
  await backTo("Piece values");
  await press(" ");
  await page().locator(".piece-value text").first().waitFor({ state: "detached" });
});

const GAMES = ["1. c4 c5", "1. d4 d5", "1. e4 e6"].map((moves, index) =>
  `[White "Ann"]\n[Black "${["Ben", "Carl", "Dora"][index]}"]\n\n${moves} *\n\n`);

test("games are pasted, filtered and chosen, and a file is opened", async () => {
  await gameMenu(/^Paste/);
  await dialog("Paste PGN or FEN").waitFor();
  await paste(GAMES.join(""));
  await tabTo("Open");
  await press("Enter");
  const list = dialog("Choose a game");
  await list.getByText("3 games.").waitFor();
  await page().keyboard.type("ann dora");
  await list.getByText("1 of 3 games.").waitFor();
  // Escape clears the filter.
  await press("Escape");
  await list.getByText("3 games.", { exact: true }).waitFor();
  await press("ArrowDown", "Enter");
  await expectListed(page(), "d4 d5");
  // Pasting works without the dialog, too.
  await paste("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
  await page().waitForFunction(() => document.querySelectorAll("cg-board piece").length === 3);
  const chooser = page().waitForEvent("filechooser");
  await gameMenu("Open file…");
  await (await chooser).setFiles(fileOf("game.pgn", GAMES[0]));
  await expectListed(page(), "c4 c5");
});

test("tags are edited, and the position, the game and a link are copied and saved", async () => {
  await play("d4", "d5");
  await gameMenu("Edit tags…");
  await dialog("Tags").waitFor();
  await tabTo("White");
  await page().keyboard.type("Zoe");
  await tabTo("Save");
  await press("Enter");
  await dialog("Tags").waitFor({ state: "detached" });
  assert.match(await copied("Copy PGN"), /\[White "Zoe"\][^]*1\. d4 d5/);
  assert.equal(
    await copied("Copy FEN"), "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2",
  );
  const link = await copied("Copy link to the analysis");
  for (const [command, start] of [["Download PGN", /^\[/], ["Save picture (SVG)", /^<svg/]]) {
    const download = page().waitForEvent("download");
    await gameMenu(command);
    assert.match(readFileSync(await (await download).path(), "utf8"), start);
  }
  await gameMenu("New analysis");
  await expectListed(page(), "");
  await page().goto(link);
  await expectListed(page(), "d4 [d5]");
});

test("a form of the position is chosen, and its bits mark squares on the board", async () => {
  await press("i");
  await expectCurrent();
  await tabTo("Bitboards");
  await downTo("Magic bitboards");
  await expectCurrent();
  await tabTo("Sliders");
  await press("End", "Enter");
  await page().getByRole("heading", { name: "Look-up of the rook h8" }).waitFor();
  await backTo("Magic bitboards");
  await press("Home", "ArrowDown");
  await page().getByRole("heading", { name: "Bitboards", exact: true }).waitFor();
  await expectCurrent();
  await press("Tab");
  await tabTo("Bitboards");
  await press("ArrowRight");
  await expectMarked("inspect-mark", "b1 g1");
  await press("Enter");
  await expectMarked("inspect-set", "b1 g1");
  await tabTo(/^Bits of white knights/);
  await press("End");
  await expectMarked("inspect-mark", "a1");
  await tabTo("Square");
  await press("Control+a", "c", "1", "ArrowUp", "ArrowRight");
  await page().locator(".readout", { hasText: "d2: white pawn" }).waitFor();
  await press("Escape");
  await expectMarked("inspect-mark", "");
});

/** A server that needs a key and has tables of KQvK and KRvK. */
const TABLES = fileURLToPath(new URL("../../tests/support/syzygy", import.meta.url));
let own;
after(() => own && stopServer(own.server));

test("a key is entered, a tablebase move is played, and moves go on without the server",
  async () => {
    own = await startServer({
      settings: `${KEYS}\n[syzygy]\npaths = [${JSON.stringify(TABLES)}]\n`,
    });
    const other = await page().context().newPage();
    await page().close();
    await other.goto(`http://${own.address}/?fen=8/8/8/8/8/2k5/1R6/7K_w_-_-_0_1`);
    const status = other.locator(".status-text");
    await status.filter({ hasText: "The server needs a valid API key." }).waitFor();
    await keys.tabTo(other, "Enter API key…");
    await other.keyboard.press("Enter");
    const server = other.getByRole("dialog", { name: "Server" });
    await server.waitFor();
    await keys.typeAndEnter(other, KEY);
    await server.getByRole("row", { name: /^Requests \d+ of 100000 left/ }).waitFor();
    await keys.press(other, "Escape", "e");
    await other.getByRole("region", { name: "Tablebase" }).getByText("White wins").waitFor();
    const [san] = (await keys.tabTo(other, /, Win, distance \d+$/)).split(",");
    await other.keyboard.press("Enter");
    await expectListed(other, `[${san}]`);
    await keys.press(other, "ArrowLeft", "m");
    await keys.typeAndEnter(other, "Kg1");
    await expectListed(other, `${san} [Kg1]`);
    await stopServer(own.server);
    await status.filter({ hasText: "The server cannot be reached." }).waitFor();
    await keys.typeAndEnter(other, "Kd3");
    await expectListed(other, `${san} Kg1 [Kd3]`);
    await keys.press(other, "Escape", "Control+z");
    await expectListed(other, `${san} [Kg1]`);
  });
