/** The tree of moves in Chromium: list, menu, comments, glyphs, forks and undo. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage } from "./browser.mjs";
import { expectListed, openGame } from "./games.mjs";

// After five repetitions the server refuses the moves, and the page sends the position alone.
const page = boardPage({ allowed: [/status of 422/] });
const expectMoves = (moves) => expectListed(page(), moves);
const press = async (...keys) => {
  for (const key of keys) await page().keyboard.press(key);
};
const move = (san) => page().locator(".move", { hasText: san }).first();
const menu = () => page().getByRole("menu", { name: /^Menu of/ });
const choose = (name) => menu().getByRole("menuitem", { name }).click();
const undo = () => press("Control+z");

const GAME = "1. e4 e5 (1... c5 2. Nf3 d6 (2... Nc6 {Sharp} 3. d4) 3. d4) (1... e6) 2. Nf3 Nc6";
const MOVES = "e4 e5 c5 Nf3 d6 d4 Nc6 d4 e6 Nf3 Nc6";

test("variations, comments and glyphs are in the list, and a click shows a move", async () => {
  await openGame(page(), `{Begin} 1. e4! {[%clk 0:03:00] [%eval 0.35] Best by test} 1... e5 $10 *`);
  await expectMoves("e4 e5");
  const list = page().locator(".move-list");
  await list.getByText("Begin").waitFor();
  await list.getByText("Best by test").waitFor();
  assert.equal(await list.getByText("%clk").count(), 0);
  assert.equal(await move("e4").innerText().then((text) => text.replace(/\s+/g, "")),
    "e4!+0.353:00");
  await page().getByRole("img", { name: "Good move" }).waitFor();
  await page().getByRole("img", { name: "Equal position" }).waitFor();
  await move("e5").click();
  await expectMoves("e4 [e5]");
});

test("a move's menu changes its place in the tree, and undo takes each change back", async () => {
  await openGame(page(), GAME);
  await expectMoves(MOVES);
  const edits = [
    ["Promote variation", "e4 [c5] e5 Nf3 Nc6 e6 Nf3 d6 Nc6 d4 d4"],
    ["Demote line", "e4 e5 e6 [c5] Nf3 d6 d4 Nc6 d4 Nf3 Nc6"],
    ["Delete from here", "[e4] e5 e6 Nf3 Nc6"],
  ];
  for (const [command, moves] of edits) {
    await move("c5").click({ button: "right" });
    await choose(command);
    await expectMoves(moves);
    await undo();
    await expectMoves(MOVES.replace("c5", "[c5]"));
  }
  await page().locator(".move", { hasText: "d4" }).last().click({ button: "right" });
  await choose("Make main line");
  await expectMoves("e4 c5 e5 Nf3 Nc6 e6 Nf3 Nc6 d6 d4 [d4]");
  await undo();
  await expectMoves("e4 e5 c5 Nf3 d6 d4 Nc6 [d4] e6 Nf3 Nc6");
});

test("the menu opens by keys, by a button and by a long press, and Escape closes it", async () => {
  await openGame(page(), "1. e4 e5");
  await press("ArrowRight", "Shift+F10");
  await menu().waitFor();
  await press("Escape");
  await menu().waitFor({ state: "detached" });
  assert.equal(await page().evaluate(() => document.activeElement.textContent), "e4");
  await press("Tab");
  await page().getByRole("button", { name: "Menu of 1. e4" }).click();
  await menu().waitFor();
  await press("Escape");
  const { x, y } = await move("e5").boundingBox();
  await page().evaluate(([clientX, clientY]) => {
    const target = document.elementFromPoint(clientX, clientY);
    target.dispatchEvent(new PointerEvent("pointerdown", {
      bubbles: true, pointerType: "touch", clientX, clientY,
    }));
  }, [x + 9, y + 9]);
  await page().getByRole("menu", { name: "Menu of 1… e5" }).waitFor();
  await expectMoves("e4 [e5]");
  // The press had no click at its end, and the next click is one of its own.
  await press("Escape");
  await move("e4").click();
  await expectMoves("[e4] e5");
});

test("keys set glyphs, one of a kind, and undo takes them back", async () => {
  await openGame(page(), "1. e4 e5");
  await press("ArrowRight", "1");
  await page().getByRole("img", { name: "Good move" }).waitFor();
  await press("4");
  await page().getByRole("img", { name: "Blunder" }).waitFor();
  assert.equal(await page().locator(".nag").count(), 1);
  await press("g");
  await menu().getByRole("menuitemcheckbox", { name: "Unclear position" }).click();
  await page().getByRole("img", { name: "Unclear position" }).waitFor();
  await press("Escape", "Control+z", "Control+z", "Control+z");
  await page().locator(".nag").waitFor({ state: "detached" });
});

test("the start position takes no glyph, and a message says so", async () => {
  for (const key of ["g", "Shift+F10", "1"]) {
    await press(key);
    const toast = page().locator(".toast", { hasText: "The start position takes no glyph." });
    await toast.waitFor();
    assert.equal(await menu().count(), 0);
    await page().reload();
    await page().getByRole("grid", { name: "Board" }).waitFor();
  }
});

test("a comment is written below the list and keeps the commands of programs", async () => {
  await openGame(page(), "1. e4 {[%clk 0:03:00]} 1... e5");
  await press("ArrowRight", "c");
  await page().keyboard.type("Best }by test");
  await press("Enter");
  await page().locator(".interrupt .comment", { hasText: "Best )by test" }).waitFor();
  assert.match(await move("e4").innerText(), /3:00/);
  await undo();
  await page().locator(".interrupt .comment").waitFor({ state: "detached" });
  // A comment that is being written stays with its move when another one is shown.
  await press("c");
  await page().keyboard.type("Kept");
  await move("e5").click();
  await page().locator(".interrupt .comment", { hasText: "Kept" }).waitFor();
  await press("c");
  await page().keyboard.type("Not kept");
  await press("Escape");
  assert.equal(await page().getByText("Not kept").count(), 0);
});

test("at a fork the arrows choose the move that a step forward shows", async () => {
  await openGame(page(), GAME);
  await press("ArrowRight");
  const fork = page().getByRole("group", { name: "Next move" });
  assert.deepEqual(await fork.getByRole("button").allInnerTexts(), ["1… e5", "1… c5", "1… e6"]);
  await press("ArrowDown", "ArrowDown", "ArrowRight");
  await expectMoves(MOVES.replace("e6", "[e6]"));
  await press("Shift+ArrowLeft");
  await expectMoves(MOVES.replace("e4", "[e4]"));
  await press("ArrowUp", "Enter");
  await expectMoves(MOVES.replace("c5", "[c5]"));
  await press("Shift+ArrowLeft");
  await fork.getByRole("button", { name: "1… e5" }).click();
  await expectMoves(MOVES.replace("e5", "[e5]"));
  await press("ArrowUp");
  await expectMoves(MOVES);
});

test("the shown move is announced", async () => {
  await openGame(page(), "1. e4 e5 2. Nf3?! (2. f4)");
  const said = (text) => page().locator("[data-announcement]", { hasText: text }).waitFor();
  await press("ArrowRight");
  await said(/^1, White, e4$/);
  await press("ArrowRight", "ArrowRight");
  await said(/^2, White, knight f3, Inaccuracy$/);
  await press("ArrowLeft", "Shift+ArrowRight");
  await said(/^2, White, f4, variation$/);
  await press("Home");
  await said(/^Start position$/);
});

test("figurines stand for the letters where the settings say so", async () => {
  await page().evaluate(() =>
    localStorage.setItem("kibitzer.settings", JSON.stringify({ notation: "figurines" })));
  await page().reload();
  await openGame(page(), "1. Nf3 d5");
  await page().getByRole("button", { name: "Nf3", exact: true }).getByText("♞f3").waitFor();
});

test("300 moves with 200 variations stay fast", async () => {
  const knights = ["Nf3", "Nf6", "Ng1", "Ng8"];
  const moves = Array.from({ length: 600 }, (_, ply) => {
    const number = `${Math.floor(ply / 2) + 1}${ply % 2 ? "..." : "."}`;
    const others = ply % 3 ? "" : ply % 2 ? `(${number} a6 {x} a3)` : `(${number} Nc3 {x})`;
    return `${number} ${knights[ply % 4]} ${others}`;
  });
  await openGame(page(), moves.join(" "));
  await page().locator(".variation").nth(199).waitFor();
  await press("End");
  await page().locator(".move[aria-current]", { hasText: "Ng8" }).waitFor();
  const shown = await page().locator(".move[aria-current]").boundingBox();
  const frame = await page().locator(".move-list").boundingBox();
  assert.ok(shown.y >= frame.y && shown.y + shown.height <= frame.y + frame.height);
  // The time of the page's own thread, which other programs do not lengthen.
  const client = await page().context().newCDPSession(page());
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const used = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1_000;
  };
  await page().keyboard.press("l");
  const before = await used();
  for (let step = 0; step < 20; step++) await press("ArrowLeft", "1");
  const perStep = (await used() - before) / 40;
  assert.ok(perStep < 40, `a step or an edit took ${Math.round(perStep)} ms`);
});
