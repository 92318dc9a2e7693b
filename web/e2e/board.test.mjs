/** The board in Chromium, against the server at BOARD_URL. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as steps from "./browser.mjs";

const page = steps.boardPage();
const middleOf = (square) => steps.middleOf(page(), square);
const click = (from, to) => steps.click(page(), from, to);
const expectMoves = (...moves) => steps.expectMoves(page(), ...moves);
const expectLines = (number) => steps.expectLines(page(), number);

async function drag(from, to) {
  await page().mouse.move(...(await middleOf(from)));
  await page().mouse.down();
  await page().mouse.move(...(await middleOf(to)), { steps: 5 });
  await page().mouse.up();
}

test("the start position gets an evaluation and three lines at once", async () => {
  const lines = await expectLines("1\\.");
  assert.equal(lines.length, 3);
  assert.match(lines[0], /^[+−]?\d+\.\d\d\s+1\. \S+/);
  assert.match(
    await page().locator(".engine .depth").innerText(), /^depth \d+\/\d+ · (search|memory)$/,
  );
  const bar = await page().locator(".eval-bar").getAttribute("aria-label");
  assert.match(bar, /^Evaluation \S+: White wins \d+%, draw \d+%, Black wins \d+%$/);
  assert.match(await page().locator(".status").innerText(), /^Connected\./);
});

test("moves by click and by drag show the lines of the new position", async () => {
  await click("e2", "e4");
  await expectMoves("e4");
  await expectLines("1…");
  await drag("c7", "c5");
  await expectMoves("e4", "c5");
  await expectLines("2\\.");
  // An illegal move changes nothing.
  await drag("e4", "e6");
  await expectMoves("e4", "c5");
});

test("stepping back, another move and undo keep the tree", async () => {
  await click("e2", "e4");
  await expectMoves("e4");
  await click("e7", "e5");
  await expectMoves("e4", "e5");
  await page().keyboard.press("ArrowLeft");
  await click("c7", "c5");
  await expectMoves("e4", "e5");
  assert.equal(await page().locator(".move.other[aria-current]").innerText(), "c5");
  await page().keyboard.press("Control+z");
  await page().locator(".move.other").waitFor({ state: "detached" });
  await expectMoves("e4", "e5");
  await page().keyboard.press("Control+y");
  await page().locator(".move.other", { hasText: "c5" }).waitFor();
  await page().getByRole("button", { name: "Start" }).click();
  await expectLines("1\\.");
  // A chosen piece is forgotten with its position.
  await page().mouse.click(...(await middleOf("g1")));
  await page().locator("square.selected").waitFor();
  await page().keyboard.press("End");
  await expectLines("2\\.");
  await page().locator("square.selected").waitFor({ state: "hidden" });
});

test("a promotion asks for the piece", async () => {
  const moves = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7".split(" ");
  for (const move of moves) await click(move.slice(0, 2), move.slice(2));
  await click("a6", "b7");
  await click("h7", "h6");
  await click("b7", "a8");
  const chooser = page().getByRole("dialog", { name: "Promote to" });
  await chooser.waitFor();
  // Where the board is small, the four pieces are larger than its squares.
  await page().setViewportSize({ width: 640, height: 400 });
  await page().waitForFunction(() => document.querySelector(".page > .board").offsetWidth < 300);
  for (const button of await chooser.getByRole("button").all()) {
    const isHit = await button.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(x + width / 2, y + height / 2);
      return width >= 24 && height >= 24 && element.contains(hit);
    });
    assert.ok(isHit, await button.getAttribute("aria-label"));
  }
  await page().getByRole("button", { name: "knight" }).click();
  await page().locator(".move", { hasText: "bxa8=N" }).waitFor();
});

test("a check is marked on the square of the king", async () => {
  for (const [from, to] of [["e2", "e4"], ["f7", "f5"], ["d1", "h5"]]) await click(from, to);
  const mark = page().locator("cg-board square.check");
  await mark.waitFor();
  const { x, y, width, height } = await mark.boundingBox();
  const [kingX, kingY] = await middleOf("e8");
  assert.ok(Math.abs(x + width / 2 - kingX) < 2 && Math.abs(y + height / 2 - kingY) < 2);
  await click("g7", "g6");
  await mark.waitFor({ state: "hidden" });
});

test("the end of a game is named and not searched", async () => {
  for (const [from, to] of [["f2", "f3"], ["e7", "e5"], ["g2", "g4"], ["d8", "h4"]]) {
    await click(from, to);
  }
  await expectMoves("f3", "e5", "g4", "Qh4#");
  await page().getByText("Checkmate: Black wins").waitFor();
  await page().locator(".status-text", { hasText: /^Connected\.$/ }).waitFor();
});

test("pause ends the search and goes on with the same evaluation", async () => {
  await expectLines("1\\.");
  await page().getByRole("button", { name: "Pause" }).click();
  await page().getByText("The engine is paused.").waitFor();
  assert.equal(await page().locator(".line:has(.pv-move)").count(), 3);
  await page().getByRole("button", { name: "Analyse" }).click();
  await page().getByText("The engine is searching.").waitFor();
});

test("no control is lost and nothing scrolls sideways at 320 pixels", async () => {
  await page().setViewportSize({ width: 320, height: 640 });
  // The board takes its new size a moment later.
  await page().waitForFunction(() => document.documentElement.scrollWidth === 320);
  // The moves of a line that do not fit are cut off; the arrow keys reach them.
  const buttons = page().getByRole("button").and(page().locator(":not(.pv-move)"));
  for (const button of await buttons.all()) {
    const { x, width: own } = await button.boundingBox();
    assert.ok(x >= 0 && x + own <= 320, await button.getAttribute("aria-label"));
  }
});
