/** Everyday comforts: the wheel, held buttons, material, players and clocks, and the legend. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage, middleOf } from "./browser.mjs";
import { openGame } from "./games.mjs";

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

const MATE = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#";

const PROMOTION = `[SetUp "1"]
[FEN "4k3/P6p/8/8/8/8/8/4K3 w - - 0 1"]

1. a8=Q+ *`;

const shownMove = () => page().evaluate(() =>
  document.querySelector(".move[aria-current]")?.firstChild.textContent ?? "start");
const expectShown = (san) => page().waitForFunction((wanted) =>
  (document.querySelector(".move[aria-current]")?.firstChild.textContent ?? "start") === wanted,
san);
const boardSize = async () => (await page().locator("cg-board").boundingBox()).width;
/** Waits for longer than the time between two repeats, by the clock that the page uses, too. */
const afterRepeats = () => page().evaluate(() => new Promise((done) => setTimeout(done, 250)));
const player = (color) => page().getByRole("group", { name: color, exact: true });

test("the wheel over the board steps, not in dialogs, and Ctrl with it zooms", async () => {
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
  const help = page().getByRole("dialog", { name: "Help" });
  await help.waitFor();
  assert.equal(await turn(120), false);
  assert.equal(await shownMove(), "e4");
  // The help says what the parts of the bar, its tick and the arrows mean.
  const legend = await help.getByRole("list", { name: "Evaluation bar" }).innerText();
  for (const words of ["White wins", "a draw", "Black wins", "Orange line"]) {
    assert.ok(legend.includes(words), words);
  }
  const arrows = await help.getByRole("list", { name: "Arrows" }).innerText();
  for (const words of ["Pale blue", "Grey", "Red", "your own"]) assert.ok(arrows.includes(words));
  await help.getByText("The number on an arrow is the evaluation").waitFor();
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
  // A release on the button is no step more: the page gets no click of it.
  await page().evaluate(() => {
    window.clicks = 0;
    document.addEventListener("click", ({ isTrusted }) => { window.clicks += Number(isTrusted); });
  });
  await page().mouse.move(...(await middle("Back (←)")));
  await page().mouse.down();
  await expectShown("Qxe2+");
  await page().mouse.up();
  assert.equal(await page().evaluate(() => window.clicks), 0);
  await page().keyboard.press("End");
  await page().mouse.down();
  await expectShown("Qe6+");
  await page().mouse.move(5, 5);
  const left = await shownMove();
  await page().mouse.up();
  await afterRepeats();
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
  await afterRepeats();
  assert.equal(await shownMove(), released);
});

test("material stands under the board where no game is loaded, and takes none of its size",
  async () => {
    // 800 pixels less the header, the buttons and the line under the board.
    assert.equal(await boardSize(), 664);
    const material = page().getByRole("group", { name: "Material" });
    await material.waitFor({ state: "attached" });
    assert.equal(await material.innerText(), "");
    await openGame(page(), MATE);
    await page().keyboard.press("End");
    await material.getByRole("img", { name: "White: 1 pawn more, 1 point ahead" }).waitFor();
    assert.equal(await material.locator("piece.pawn.black").count(), 1);
    assert.equal(await boardSize(), 664);
    // The evaluation says the mate in words; the result is in the list, too.
    const engine = page().getByRole("region", { name: "Engine" });
    await engine.getByText("Checkmate: White wins").waitFor();
    await page().locator(".game-result", { hasText: "1-0 · White wins" }).waitFor();
    // A piece that a pawn became counts as what it is.
    await openGame(page(), PROMOTION);
    await page().keyboard.press("End");
    await material.getByRole("img", { name: "White: 1 queen more, 8 points ahead" }).waitFor();
    await material.getByRole("img", { name: "Black: 1 pawn more" }).waitFor();
  });

test("players with rating, clock and material stand at their sides of the board", async () => {
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
  // After a reload, they come without a shift.
  await page().addInitScript(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) {
        if (!hadRecentInput) window.shifts += value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page().waitForFunction(() =>
    sessionStorage.getItem("kibitzer.tree")?.includes('"black"'));
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
      assert.ok(row.x >= board.x - 1 && row.x + row.width <= width, color);
      const name = await player(color).locator(".name").boundingBox();
      assert.ok(name.width > 40, `${color}: ${name.width} pixels for the name`);
    }
  }
});
