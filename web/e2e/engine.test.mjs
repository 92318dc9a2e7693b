/** The engine's panel, arrows and keys, against the server at BOARD_URL. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as steps from "./browser.mjs";
import { until } from "./own-server.mjs";

const page = steps.boardPage();
const click = (from, to) => steps.click(page(), from, to);
const expectMoves = (...moves) => steps.expectMoves(page(), ...moves);
const expectLines = (number) => steps.expectLines(page(), number);

const press = (key) => page().keyboard.press(key);
const button = (name) => page().getByRole("button", { name });
const move = (row, index) =>
  page().locator(`.pv-move[data-row="${row}"][data-index="${index}"]`);
const choose = (label, value) => page().getByLabel(label).selectOption(value);
const depth = async () =>
  Number((await page().locator(".engine .depth").innerText()).match(/^depth (\d+)/)[1]);
const expectArrows = (number) => page().waitForFunction(
  (wanted) => document.querySelectorAll("svg.cg-shapes line").length === wanted, number,
);

/** Stops the search, so that lines stay as they are. */
async function pause() {
  await button("Pause").click();
  await page().getByText("The engine is paused.").waitFor();
}

test("a click on a move of a line plays the line up to it as one edit", async () => {
  await expectLines("1\\.");
  await pause();
  const moves = [];
  for (const index of [0, 1, 2]) moves.push((await move(1, index).innerText()).split(" ").at(-1));
  await move(1, 2).click();
  await expectMoves(...moves);
  await press("Control+z");
  await expectMoves();
});

test("a move of a line under the pointer or the focus shows its position, and shifts nothing",
  async () => {
    await expectLines("1\\.");
    await page().waitForFunction(() =>
      document.querySelectorAll(".pv-move[data-row='0']").length > 5);
    await pause();
    const before = await page().locator(".engine").boundingBox();
    await move(0, 2).hover();
    const pieces = page().locator(".line-preview piece");
    await pieces.nth(31).waitFor();
    const byMouse = await page().locator(".line-preview square.last-move").count();
    assert.equal(byMouse, 2);
    assert.deepEqual(await page().locator(".engine").boundingBox(), before);
    await page().mouse.move(5, 5);
    await page().locator(".line-preview").waitFor({ state: "detached" });
    // By keys: one stop of the Tab key for each line, and arrows within it.
    await page().getByRole("button", { name: "Pause" }).or(button("Analyse")).focus();
    await press("Tab");
    await pieces.nth(31).waitFor();
    await press("ArrowRight");
    await press("ArrowRight");
    assert.equal(await page().evaluate(() => document.activeElement.dataset.index), "2");
    await press("Escape");
    await page().locator(".line-preview").waitFor({ state: "detached" });
    const third = (await move(0, 2).innerText()).split(" ").at(-1);
    await press("Enter");
    await page().locator(".move[aria-current]", { hasText: third }).waitFor();
    assert.equal(await page().locator(".move").count(), 3);
  });

test("a finger that rests on a move shows its position and plays nothing", async () => {
  await expectLines("1\\.");
  await pause();
  const target = await move(0, 1).elementHandle();
  const touch = (type) => target.evaluate((element, name) => element.dispatchEvent(
    new PointerEvent(name, { bubbles: true, pointerType: "touch" })), type);
  await touch("pointerdown");
  await page().locator(".line-preview piece").nth(31).waitFor();
  await touch("pointerup");
  await target.evaluate((element) => element.click());
  await page().locator(".line-preview").waitFor({ state: "detached" });
  await expectMoves();
  await touch("pointerdown");
  await touch("pointerup");
  await target.evaluate((element) => element.click());
  await page().locator(".move").nth(1).waitFor();
});

test("the number of lines goes up to the server's, and is kept", async () => {
  await expectLines("1\\.");
  const counts = page().getByLabel("Number of lines").locator("option");
  await page().waitForFunction(() => document.querySelectorAll(
    "[aria-label='Number of lines'] option").length === 5);
  assert.equal(await counts.last().innerText(), "5 lines");
  await choose("Number of lines", "5");
  await move(4, 0).waitFor();
  await choose("Number of lines", "1");
  await page().waitForFunction(() => document.querySelectorAll(".line").length === 1);
  await move(0, 0).waitFor();
  await page().reload();
  await expectLines("1\\.");
  assert.equal(await page().locator(".line").count(), 1);
});

test("a limit ends the search, and “Deeper” goes on beyond it", async () => {
  await choose("Limit of the analysis", "depth 12");
  await click("b1", "a3");
  await page().locator(".status-text", { hasText: /^Connected\.$/ }).waitFor();
  assert.ok(await depth() >= 12);
  const ended = await depth();
  await button("Deeper").click();
  await page().waitForFunction((least) => Number(
    document.querySelector(".engine .depth").textContent.match(/\d+/)[0]) > least, ended);
  await page().getByText("The engine is searching.").waitFor();
  // The next position has the limit again.
  await click("g8", "h6");
  await page().locator(".status-text", { hasText: /^Connected\.$/ }).waitFor();
  assert.equal(await button("Deeper").isEnabled(), true);
});

test("a running search shows its nodes and its speed", async () => {
  await expectLines("1\\.");
  await page().locator(".engine .work", { hasText: /^[\d.]+[KM]? nodes · [\d.]+[KM]?\/s$/ })
    .waitFor();
});

test("the depth never falls, also after a return to the position", async () => {
  await expectLines("1\\.");
  await page().waitForFunction(() => Number(
    document.querySelector(".engine .depth").textContent.match(/\d+/)[0]) >= 10);
  const before = await depth();
  await click("h2", "h3");
  await expectLines("1…");
  await press("ArrowLeft");
  await expectLines("1\\.");
  assert.ok(await depth() >= before);
});

test("an evaluation of another position is never shown for this one", async () => {
  await expectLines("1\\.");
  await click("a2", "a3");
  // At once, not after the next message.
  const texts = await page().locator(".pv-move[data-index='0']").allInnerTexts();
  for (const text of texts) assert.match(text, /^1… /);
});

test("“only this move” and “without this move” restrict the search until the next move",
  async () => {
    await expectLines("1\\.");
    await pause();
    const first = (await move(0, 0).innerText()).split(" ").at(-1);
    const second = (await move(1, 0).innerText()).split(" ").at(-1);
    await button("More about line 1").click();
    await page().getByRole("menuitem", { name: "Analyse without this move" }).click();
    await page().getByText(`Without ${first}`, { exact: true }).waitFor();
    await move(0, 0).filter({ hasText: second }).waitFor();
    const shown = await page().locator(".pv-move[data-index='0']").allInnerTexts();
    assert.ok(!shown.includes(`1. ${first}`), shown.join());
    // The bar keeps the evaluation with all moves.
    assert.match(await page().locator(".eval-bar").getAttribute("aria-label"), /^Evaluation /);

    await button("More about line 1").click();
    await press("ArrowUp");
    await press("ArrowUp");
    await page().getByRole("menuitem", { name: "Analyse only this move" }).click();
    await page().waitForFunction(() =>
      document.querySelectorAll(".line:has(.pv-move)").length === 1);
    assert.equal(await page().locator(".chip").count(), 1);
    await button("Remove “Only").click();
    await move(2, 0).waitFor();
    assert.equal(await page().locator(".chip").count(), 0);

    await button("More about line 2").click();
    await page().getByRole("menuitem", { name: "Analyse only this move" }).click();
    await page().locator(".chip").waitFor();
    await click("e2", "e3");
    await expectLines("1…");
    assert.equal(await page().locator(".chip").count(), 0);
    await move(2, 0).waitFor();
  });

test("key a draws all lines with their scores, thinner by rank", async () => {
  await expectLines("1\\.");
  await pause();
  // A paused engine draws nothing.
  await expectArrows(0);
  await press("a");
  await press("l");
  await expectArrows(3);
  const scores = await page().locator("svg.cg-custom-svgs text").allTextContents();
  assert.equal(scores.length, 3);
  for (const score of scores) assert.match(score, /^[+−]?\d+\.\d\d$/);
  await press("a");
  await expectArrows(1);
});

test("key x shows the threat and goes back to the analysis of the position", async () => {
  for (const [from, to] of [["e2", "e4"], ["e7", "e5"], ["d1", "h5"], ["b8", "c6"],
    ["f1", "c4"], ["a7", "a6"], ["a2", "a3"]]) await click(from, to);
  // Black is to move and would lose to Qxf7#, which is White's threat.
  await press("x");
  await page().getByText("Threat: Qxf7#").waitFor();
  const label = await page().locator(".chip.threat").innerText();
  assert.match(label, /^Threat: Qxf7# \(#1\)/);
  await expectLines("4…");
  await page().getByText("The engine is searching.").waitFor();
  await press("x");
  await page().locator(".chip").waitFor({ state: "detached" });
  await press("x");
  await page().locator(".chip").waitFor();
  // A move clears it.
  await click("g7", "g6");
  await page().locator(".chip").waitFor({ state: "detached" });
});

test("there is no threat in check: a sentence says why", async () => {
  for (const [from, to] of [["e2", "e4"], ["f7", "f5"], ["d1", "h5"]]) await click(from, to);
  await press("x");
  await page().getByText("The side to move is in check.").waitFor();
  assert.equal(await page().locator(".chip").count(), 0);
});

test("there is no threat at the end of a game: a sentence says so", async () => {
  for (const [from, to] of [["f2", "f3"], ["e7", "e5"], ["g2", "g4"], ["d8", "h4"]]) {
    await click(from, to);
  }
  await press("x");
  await page().getByText("The game is over, so there is no threat.").waitFor();
});

test("key z hides scores, bar, lines and arrows, and brings them back", async () => {
  await expectLines("1\\.");
  const before = await page().locator(".engine").boundingBox();
  await press("z");
  await page().getByText("Hidden. Press z to show the engine.").waitFor();
  assert.equal(await page().locator(".pv-move").count(), 0);
  assert.equal(await page().locator(".engine .score").innerText(), "–");
  assert.equal(await page().locator(".eval-bar").getAttribute("aria-label"), "No evaluation yet");
  await expectArrows(0);
  assert.deepEqual(await page().locator(".engine").boundingBox(), before);
  await page().getByText("The engine is paused.").waitFor();
  await press("z");
  await expectLines("1\\.");
});

test("a hidden engine is shown and started by key l and by “Analyse”", async () => {
  await expectLines("1\\.");
  for (const show of [() => press("l"), () => button("Analyse").click()]) {
    await press("z");
    await page().getByText("Hidden. Press z to show the engine.").waitFor();
    await show();
    await expectLines("1\\.");
    await page().getByText("The engine is searching.").waitFor();
    await button("Pause").waitFor();
  }
});

test("Space plays the best move, and l pauses and starts", async () => {
  await expectLines("1\\.");
  await press("l");
  await page().getByText("The engine is paused.").waitFor();
  const best = (await move(0, 0).innerText()).split(" ").at(-1);
  await page().evaluate(() => document.activeElement.blur());
  await press(" ");
  await expectMoves(best);
  await press("l");
  await expectLines("1…");
});

test("an evaluation is read once for each position, and on request", async () => {
  // A position that no other test has searched, so that the depth still grows fast.
  await click("h2", "h3");
  await click("a7", "a6");
  const read = page().locator("[data-announcement]");
  const sentence = /(is better by \d+\.\d\d|Equal|mates in \d+), depth \d+\. Best move \S+\.$/;
  await read.filter({ hasText: sentence }).waitFor({ state: "attached" });
  const first = await read.textContent();
  await page().waitForFunction((least) => Number(
    document.querySelector(".engine .depth").textContent.match(/\d+/)[0]) > least,
  Number(first.match(/depth (\d+)/)[1]));
  assert.equal(await read.textContent(), first);
  await press("s");
  await page().waitForFunction((text) =>
    document.querySelector("[data-announcement]").textContent !== text, first);
  assert.match(await read.textContent(), sentence);
});

test("the bar shows the result at the end of the game", async () => {
  for (const [from, to] of [["f2", "f3"], ["e7", "e5"], ["g2", "g4"], ["d8", "h4"]]) {
    await click(from, to);
  }
  const bar = page().locator(".eval-bar");
  await page().waitForFunction(() =>
    document.querySelector(".eval-bar").ariaLabel === "Checkmate: Black wins");
  assert.match(await bar.locator(".win").getAttribute("style"), /scaleY\(0\)/);
  await press("ArrowLeft");
  await page().waitForFunction(() =>
    document.querySelector(".eval-bar").ariaLabel.startsWith("Evaluation #−1"));
});

test("figurines are shown on request, and screen readers get letters", async () => {
  await page().evaluate(() =>
    localStorage.setItem("kibitzer.settings", JSON.stringify({ notation: "figurines" })));
  await page().reload();
  await page().locator(".pv-move", { hasText: /[♚♛♜♝♞]/ }).first().waitFor();
  await pause();
  const piece = page().locator(".pv-move", { hasText: "♞" }).first();
  assert.match(await piece.getAttribute("aria-label"), /N/);
});

test("the server's details name version, workers, limits and rate", async () => {
  await expectLines("1\\.");
  await button("Server").click();
  const dialog = page().getByRole("dialog", { name: "Server" });
  await dialog.getByRole("row", { name: "Requests no limit" }).waitFor();
  for (const name of [/^Version kibitzer \d/, /^Network \S/, /^Workers 1,/, /^Lines at most 5/]) {
    await dialog.getByRole("row", { name }).waitFor();
  }
  await dialog.getByRole("textbox", { name: "API key" }).fill("ä ö");
  await dialog.getByRole("button", { name: "Use key" }).click();
  await dialog.getByText("A key has at least one character").waitFor();
  await press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("the end of the last position's search does not keep the next one from starting", async () => {
  const searches = [];
  let socket;
  await page().routeWebSocket(/\/v1\/live$/, (route) => {
    socket = route;
    route.onMessage((text) => {
      const { type, id } = JSON.parse(text);
      if (type === "go") searches.push(id);
    });
  });
  await page().reload();
  await until(() => searches.length === 1, "the first search");
  await click("e2", "e4");
  await until(() => searches.length === 2, "the search after the move");
  // The second of two fast steps waits a moment, and the end arrives meanwhile.
  await page().keyboard.press("ArrowLeft");
  await page().keyboard.press("ArrowRight");
  const before = searches.length;
  socket.send(JSON.stringify({ type: "end", id: searches.at(-1), reason: "depth" }));
  await until(() => searches.length > before, "the search of the shown position");
});
