/** The board under fingers, on a phone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage, expectMoves, middleOf } from "./browser.mjs";
import { openGame } from "./games.mjs";

const page = boardPage({
  viewport: { width: 390, height: 700 }, hasTouch: true,
  // The server refuses illegal positions, which the browser writes to the console.
  allowed: [/status of 422/],
});

/** Puts a finger down, moves it and lifts it. */
async function swipe([fromX, fromY], [toX, toY]) {
  const session = await page().context().newCDPSession(page());
  const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", {
    type, touchPoints: points.map(([x, y]) => ({ x, y })),
  });
  await touch("touchStart", [fromX, fromY]);
  for (let step = 1; step <= 6; step += 1) {
    await touch("touchMove", [
      fromX + ((toX - fromX) * step) / 6, fromY + ((toY - fromY) * step) / 6,
    ]);
    await page().evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
  await touch("touchEnd");
  await session.detach();
}
const scrolled = () => page().evaluate(() => scrollY);

test("a piece follows the finger, and the page stays where it is", async () => {
  await swipe(await middleOf(page(), "e2"), await middleOf(page(), "e4"));
  await expectMoves(page(), "e4");
  assert.equal(await scrolled(), 0);
  const [x, y] = await middleOf(page(), "g8");
  await page().touchscreen.tap(x, y);
  await page().touchscreen.tap(...(await middleOf(page(), "f6")));
  await expectMoves(page(), "e4", "Nf6");
});

test("a swipe beside the board scrolls the page, and the board stays in view", async () => {
  await swipe([195, 650], [195, 350]);
  await page().waitForFunction(() => scrollY > 0);
  const { y } = await page().locator(".page > .board").boundingBox();
  assert.ok(y >= 0 && y < 60, `the board is at ${y}`);
});

test("a piece is dragged from the editor's palette", async () => {
  await page().getByRole("button", { name: "Set up" }).tap();
  const editor = page().getByRole("dialog", { name: "Set up position" });
  await editor.locator("cg-board piece").first().waitFor();
  const { x, y, width } = await editor.getByRole("radio", { name: "white queen" }).boundingBox();
  const board = await editor.locator("cg-board").boundingBox();
  const square = board.width / 8;
  await swipe([x + width / 2, y + width / 2], [board.x + 4.5 * square, board.y + 3.5 * square]);
  await page().waitForFunction(() =>
    document.querySelector(".fen input").value.startsWith("rnbqkbnr/pppppppp/8/4Q3/"));
});

test("a step button under a finger repeats, without a menu or a selection", async () => {
  await openGame(page(), "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7");
  // The message about the game covers no controls.
  const toast = await page().locator(".toast").last().boundingBox();
  const controls = page().getByRole("toolbar", { name: "Moves", exact: true });
  assert.ok(toast.y + toast.height < (await controls.boundingBox()).y);
  await page().evaluate(() => {
    window.menus = 0;
    document.addEventListener("contextmenu", (event) => {
      if (!event.defaultPrevented) window.menus += 1;
    });
  });
  const forward = controls.getByRole("button", { name: "Forward" });
  await page().keyboard.press("Home");
  const { x, y, width, height } = await forward.boundingBox();
  const session = await page().context().newCDPSession(page());
  const touch = (type, ...touchPoints) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", { x: x + width / 2, y: y + height / 2 });
  await page().locator(".move[aria-current]", { hasText: "Be7" }).waitFor();
  await touch("touchEnd");
  await session.detach();
  assert.deepEqual(await page().evaluate(() => [window.menus, getSelection().toString()]), [0, ""]);
});

test("step buttons are at least 44 pixels wide and high, at 320 pixels, too", async () => {
  for (const size of [{ width: 390, height: 700 }, { width: 320, height: 640 }]) {
    await page().setViewportSize(size);
    for (const name of ["Start", "Back", "Forward", "End"]) {
      const { width, height } = await page().getByRole("button", { name }).boundingBox();
      assert.ok(width >= 44 && height >= 44, `${name}: ${width} by ${height}`);
    }
  }
});

test("targets are at least 40 pixels high", async () => {
  await expectMoves(page());
  // The moves of a line are a text whose row is the target.
  const buttons = page().getByRole("button").and(page().locator(":not(.pv-move)"));
  for (const control of await buttons.all()) {
    const { height } = await control.boundingBox();
    const name = (await control.getAttribute("aria-label")) ?? (await control.innerText());
    assert.ok(height >= 40, `${name}: ${height}`);
  }
  for (const name of ["Settings", "Set up"]) {
    await page().getByRole("button", { name }).tap();
    const open = page().getByRole("dialog");
    await open.waitFor();
    for (const label of await open.locator("label:not(.palette label)").all()) {
      const { height } = await label.boundingBox();
      assert.ok(height >= 40, `${await label.innerText()}: ${height}`);
    }
    await open.getByRole("button", { name: "Close" }).tap();
    await open.waitFor({ state: "detached" });
  }
});
