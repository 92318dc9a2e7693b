/** The places of things in windows of several sizes, and the colours of what is chosen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage } from "./browser.mjs";
import { openGame } from "./games.mjs";

const page = boardPage();
const WINDOWS = [[1366, 768], [1920, 1080], [390, 844]];
const PANELS = ["Explore", "Review", "Inspect"];
const GAME = '[White "Ann"]\n[Black "Bob"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1';

const boxOf = (selector) => page().locator(selector).boundingBox();
const toggle = (panel) => page().getByRole("button", { name: panel, exact: true }).click();
const opened = (panel) => page().locator(`.tool.${panel.toLowerCase()} > *`).first().waitFor();

test("the names of the players are over no square, with any panel", async () => {
  await openGame(page(), GAME);
  await page().locator(".player.below").waitFor();
  for (const [width, height] of WINDOWS) {
    await page().setViewportSize({ width, height });
    for (const panel of PANELS) {
      await toggle(panel);
      await opened(panel);
      for (const place of ["above", "below"]) {
        const name = await boxOf(`.player.${place}`);
        const board = await boxOf(".board cg-board");
        const isApart = name.y + name.height <= board.y || name.y >= board.y + board.height;
        // In one column the board stays in view, over what scrolls.
        assert.ok(isApart || width < 901, `${panel} at ${width}: ${place} at ${name.y}`);
      }
      await page().evaluate(() => scrollTo(0, 0));
      const name = await boxOf(".player.below");
      const board = await boxOf(".board cg-board");
      assert.ok(name.y >= board.y + board.height, `${panel} at ${width}, from the top`);
      await toggle(panel);
    }
  }
});

test("the line of the connection is in view with any panel", async () => {
  await openGame(page(), GAME);
  for (const [width, high] of [[1366, 768], [1280, 800], [1440, 900]]) {
    await page().setViewportSize({ width, height: high });
    for (const panel of PANELS) {
      await toggle(panel);
      await opened(panel);
      const { y, height } = await boxOf(".status");
      assert.ok(y + height <= high, `${panel} at ${width}: ${y} + ${height}`);
      await toggle(panel);
    }
  }
});

test("the chosen form keeps its colours under the mouse", async () => {
  await page().setViewportSize({ width: 1366, height: 768 });
  await toggle("Inspect");
  const chosen = page().locator(".form-tabs [aria-selected=true]");
  const color = () => chosen.evaluate((tab) => getComputedStyle(tab).backgroundColor);
  await page().mouse.move(5, 5);
  const before = await color();
  await chosen.hover();
  assert.equal(await color(), before);
});

test("the end of a game shows its result in place of a score, and a bar of one colour", async () => {
  await openGame(page(), GAME);
  await page().keyboard.press("End");
  await page().locator(".engine .score", { hasText: "0-1" }).waitFor();
  await page().locator(".eval-bar.ended .middle").waitFor({ state: "hidden" });
  await openGame(page(), "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
  await page().locator(".engine .score", { hasText: "½-½" }).waitFor();
});

test("a dialog that was opened by mouse leaves the keys to the page", async () => {
  const open = page().getByRole("button", { name: "Help" });
  const dialog = page().getByRole("dialog", { name: "Help" });
  await page().locator(".pv-move").first().waitFor();
  await open.click();
  await dialog.waitFor();
  await page().keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page().keyboard.press(" ");
  await page().locator(".move").first().waitFor();
  assert.equal(await dialog.count(), 0);
  // Who opened it by a key goes on at its button.
  await open.focus();
  await page().keyboard.press("Enter");
  await dialog.waitFor();
  await page().keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page().waitForFunction(() => document.activeElement.ariaLabel === "Help");
  // A press on the board takes the focus from the button.
  await page().locator(".board > .cg-wrap cg-board").click();
  await page().waitForFunction(() => document.activeElement === document.body);
});
