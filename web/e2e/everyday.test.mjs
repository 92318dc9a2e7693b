/** Everyday comforts: the wheel, held buttons, material, players and clocks, and the legend. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage, click, expectMoves, middleOf } from "./browser.mjs";
import { expectListed, gameMenu, openGame } from "./games.mjs";

const page = boardPage();

const GAME = `[White "Nepomniachtchi, Ian"]
[Black "Carlsen, Magnus"]
[WhiteElo "2789"]
[BlackElo "?"]
[BlackTitle "GM"]
[TimeControl "5400+30"]
[Result "1-0"]

1. e4 { [%clk 1:29:50] } d5 { [%clk 1:29:30] } 2. exd5 { [%clk 1:29:00] } Qxd5
{ [%clk 1:20:30] } 3. Nc3 { [%clk 1:28:00] } Qe6+ { [%clk 0:05:30] } 4. Be2 Qxe2+ 5. Ngxe2 1-0`;

const QUEENS = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#";

const shownMove = () => page().evaluate(() =>
  document.querySelector(".move[aria-current]")?.firstChild.textContent ?? "start");
const expectShown = (san) => page().waitForFunction((wanted) =>
  (document.querySelector(".move[aria-current]")?.firstChild.textContent ?? "start") === wanted,
san);
const boardSize = async () => (await page().locator("cg-board").boundingBox()).width;
const player = (color) => page().getByRole("group", { name: color, exact: true });

test("the wheel over the board steps through the moves, and Ctrl with it zooms", async () => {
  await openGame(page(), GAME);
  await page().setViewportSize({ width: 1280, height: 500 });
  await page().keyboard.press("Home");
  await page().mouse.move(...(await middleOf(page(), "e4")));
  for (const [delta, san] of [[120, "e4"], [100, "d5"], [-100, "e4"], [-120, "start"]]) {
    await page().mouse.wheel(0, delta);
    await expectShown(san);
  }
  assert.equal(await page().evaluate(() => scrollY), 0);
  // Small turns of a trackpad add up; whether the page may scroll or zoom is left to the browser.
  const turn = (deltaY, options) => page().evaluate(([y, more]) => {
    const event = new WheelEvent("wheel", { deltaY: y, bubbles: true, cancelable: true, ...more });
    document.querySelector("cg-board").dispatchEvent(event);
    return event.defaultPrevented;
  }, [deltaY, options]);
  for (let count = 0; count < 3; count += 1) assert.equal(await turn(30), true);
  await expectShown("e4");
  assert.equal(await turn(120, { ctrlKey: true }), false);
  assert.equal(await shownMove(), "e4");
  await page().keyboard.press("?");
  await page().getByRole("dialog", { name: "Help" }).waitFor();
  assert.equal(await turn(120), false);
  assert.equal(await shownMove(), "e4");
});

test("a held step button repeats until the end, a release or a leave", async () => {
  await openGame(page(), GAME);
  await page().keyboard.press("Home");
  const middle = async (name) => {
    const { x, y, width, height } = await page().getByRole("button", { name }).boundingBox();
    return [x + width / 2, y + height / 2];
  };
  await page().mouse.move(...(await middle("Forward (→)")));
  await page().mouse.down();
  await expectShown("Ngxe2");
  await page().mouse.up();
  await page().mouse.move(...(await middle("Back (←)")));
  await page().mouse.down();
  await expectShown("Qe6+");
  await page().mouse.move(5, 5);
  const left = await shownMove();
  await page().mouse.up();
  await page().evaluate(() => new Promise((done) => setTimeout(done, 250)));
  assert.equal(await shownMove(), left);
  // By key: the first step at once, and no step at the release.
  await page().keyboard.press("Home");
  const forward = page().getByRole("button", { name: "Forward (→)" });
  for (const key of ["Enter", " "]) {
    await forward.focus();
    const before = await shownMove();
    await page().keyboard.press(key);
    await page().waitForFunction((san) =>
      document.querySelector(".move[aria-current]")?.firstChild.textContent !== san, before);
  }
  await expectShown("d5");
  await page().keyboard.down(" ");
  await expectShown("Qe6+");
  await page().keyboard.up(" ");
  const released = await shownMove();
  await page().evaluate(() => new Promise((done) => setTimeout(done, 250)));
  assert.equal(await shownMove(), released);
});

test("material stands under the board where no game is loaded, and takes none of its size",
  async () => {
    // 800 pixels less the header, the buttons and the line under the board.
    assert.equal(await boardSize(), 664);
    const material = page().getByRole("group", { name: "Material" });
    await material.waitFor({ state: "attached" });
    assert.equal(await material.innerText(), "");
    await openGame(page(), QUEENS);
    await page().keyboard.press("End");
    await material.getByRole("img", { name: "White: 1 pawn more, 1 point ahead" }).waitFor();
    assert.equal(await material.locator("piece.pawn.black").count(), 1);
    assert.equal(await boardSize(), 664);
    // A piece that a pawn became counts as what it is.
    await openGame(page(), "[SetUp \"1\"]\n[FEN \"4k3/P6p/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=Q+ *");
    await page().keyboard.press("End");
    await material.getByRole("img", { name: "White: 1 queen more, 8 points ahead" }).waitFor();
    await material.getByRole("img", { name: "Black: 1 pawn more" }).waitFor();
  });

test("a game's players stand at their sides with rating, clock and material", async () => {
  await openGame(page(), GAME);
  await page().keyboard.press("Home");
  const texts = async () => [await player("White").innerText(), await player("Black").innerText()]
    .map((text) => text.replace(/\s+/g, " "));
  await page().waitForFunction(() => document.querySelector(".player.below .clock"));
  assert.deepEqual(await texts(), [
    "Nepomniachtchi, Ian (2789) to move Clock 1:30:00", "GM Carlsen, Magnus Clock 1:30:00",
  ]);
  await page().keyboard.press("End");
  await expectShown("Ngxe2");
  assert.deepEqual(await texts(), [
    "Nepomniachtchi, Ian (2789) +6 Clock 1:28:00", "GM Carlsen, Magnus to move Clock 5:30",
  ]);
  const sides = async () => {
    const [white, black, board] = await Promise.all(
      [player("White"), player("Black"), page().locator("cg-board")].map((it) => it.boundingBox()),
    );
    return white.y < board.y && black.y >= board.y + board.height ? "black below"
      : black.y < board.y && white.y >= board.y + board.height ? "white below" : "over the board";
  };
  assert.equal(await sides(), "white below");
  await page().keyboard.press("f");
  assert.equal(await sides(), "black below");
});

test("rows of players shift nothing after a reload, and fit 320 pixels", async () => {
  await openGame(page(), GAME);
  await page().keyboard.press("End");
  await page().addInitScript(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) {
        if (!hadRecentInput) window.shifts += value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page().evaluate(() => new Promise((done) => setTimeout(done, 500)));
  await page().reload();
  await player("White").waitFor();
  assert.ok(await page().evaluate(() => window.shifts) < 0.02);
  for (const [width, height] of [[320, 640], [768, 1024], [640, 360]]) {
    await page().setViewportSize({ width, height });
    const wide = await page().evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} of ${width} pixels`);
    const board = await page().locator("cg-board").boundingBox();
    for (const color of ["White", "Black"]) {
      const row = await player(color).boundingBox();
      assert.ok(row.x >= board.x - 1 && row.x + row.width <= board.x + board.width + 8, color);
    }
  }
});
