/** The board by keyboard alone: squares, typed moves, promotion, and the help. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as steps from "./browser.mjs";
import * as keys from "./keys.mjs";

// The server refuses illegal positions, which the browser writes to the console.
const page = steps.boardPage({ allowed: [/status of 422/] });
const expectMoves = (...moves) => steps.expectMoves(page(), ...moves);
const press = (...pressed) => keys.press(page(), ...pressed);
/** Waits until the element of this name or id has the focus. */
const expectFocus = (name) => page().waitForFunction((wanted) =>
  [document.activeElement.ariaLabel, document.activeElement.id].includes(wanted), name);
const message = (text) => page().locator(".board-message", { hasText: text }).waitFor();
/** Types a move into the focused field. */
const type = (text) => keys.typeAndEnter(page(), text);
const tabTo = (name) => keys.tabTo(page(), name);

test("arrow keys go over 64 named squares", async () => {
  const cells = page().getByRole("grid", { name: "Board" }).getByRole("gridcell");
  assert.equal(await cells.count(), 64);
  assert.equal(await cells.first().getAttribute("aria-label"), "a8, black rook");
  assert.equal(await cells.last().getAttribute("aria-label"), "h1, white rook");
  await press("b");
  await expectFocus("e2, white pawn");
  await press("ArrowUp", "ArrowUp", "ArrowRight");
  await expectFocus("f4, empty");
  await press(...Array(9).fill("ArrowRight"));
  await expectFocus("h4, empty");
});

test("Enter and Space play a move, and the focus stays on the squares", async () => {
  await press("b", "Enter");
  await message("e2, white pawn. It can go to e3 or e4.");
  await press("ArrowUp", "ArrowUp");
  await expectFocus("e4, empty, target");
  await press(" ");
  await expectMoves("e4");
  await message("Black to move");
  await expectFocus("e4, white pawn");
});

test("Escape gives a piece back, and a wrong target is named", async () => {
  await press("b", "Enter", "Escape", "ArrowUp", "ArrowUp", "Enter");
  await message("e4, empty: nothing that can move.");
  await press("ArrowDown", "ArrowDown", "Enter", "ArrowUp", "ArrowUp", "ArrowUp", "Enter");
  await message("e2 cannot go to e5.");
  await press("ArrowDown", "Enter");
  await expectMoves("e4");
});

test("a flipped board keeps the focused square, and arrows follow the drawn board", async () => {
  await press("b", "f");
  await expectFocus("e2, white pawn");
  await press("ArrowUp");
  await expectFocus("e1, white king");
  await press("ArrowRight");
  await expectFocus("d1, white queen");
});

test("typed moves are played, and what is wrong is said beside the field", async () => {
  await press("m");
  await type("e4");
  await expectMoves("e4");
  await type("e7e5");
  await expectMoves("e4", "e5");
  await type("Nf9");
  await message("“Nf9” is not a move. Write e4, Nf3, O-O or e2e4, say.");
  const field = page().getByLabel("Move", { exact: true });
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  await press("Control+a");
  await page().keyboard.type("Ke3");
  await press("Enter");
  await message("“Ke3” is not legal here.");
  await press("Escape");
  await message("White to move");
  for (const move of ["Nf3", "Nc6", "Bc4", "Bc5", "O-O"]) await type(move);
  await expectMoves("e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5", "O-O");
});

test("a promotion is chosen by its letter or by arrow keys", async () => {
  await press("m");
  for (const move of ["a4", "b5", "axb5", "a6", "bxa6", "Bb7", "axb7", "h6"]) await type(move);
  await page().locator(".move", { hasText: "h6" }).waitFor();
  // The first Escape leaves the empty field.
  await press("Escape", "b");
  // From e2 to b7, then to a8.
  await press(...Array(5).fill("ArrowUp"), ...Array(3).fill("ArrowLeft"));
  await expectFocus("b7, white pawn");
  await press("Enter", "ArrowUp", "ArrowLeft", "Enter");
  await page().getByRole("dialog", { name: "Promote to" }).waitFor();
  await expectFocus("queen");
  await press("ArrowDown");
  await expectFocus("knight");
  await press("Escape");
  await page().getByRole("dialog", { name: "Promote to" }).waitFor({ state: "hidden" });
  await expectFocus("a8, black rook");
  await press("ArrowDown", "ArrowRight", "Enter", "ArrowUp", "ArrowLeft", "Enter", "r");
  await page().locator(".move", { hasText: "bxa8=R" }).waitFor();
});

test("settings are changed with Tab, arrows and Space alone", async () => {
  await tabTo("Settings");
  await press("Enter");
  const settings = page().getByRole("dialog", { name: "Settings" });
  await settings.waitFor();
  await tabTo("As the system");
  await press("ArrowDown", "ArrowDown");
  assert.equal(await page().locator("html").getAttribute("data-theme"), "dark");
  await tabTo("Green");
  await press("ArrowRight");
  assert.equal(await page().locator("html").getAttribute("data-board"), "brown");
  await tabTo("Coordinates on the board");
  await press(" ", "Escape");
  await settings.waitFor({ state: "detached" });
  assert.equal(await page().locator(".board coords").count(), 0);
  await expectFocus("Settings");
});

test("a position is set up and analysed with keys alone", async () => {
  await tabTo("Set up");
  await press("Enter");
  const editor = page().getByRole("dialog", { name: "Set up position" });
  await editor.waitFor();
  await tabTo("Clear");
  await press("Enter");
  await tabTo("e1, empty");
  await press("K", "ArrowUp", "P", "ArrowUp", "ArrowUp", "ArrowUp", "k");
  await tabTo("White");
  await press("ArrowRight");
  await tabTo("Move number");
  await press("Control+a", "9");
  await tabTo("Analyse");
  await press("Enter");
  await editor.waitFor({ state: "detached" });
  await message("Black to move");
  await expectFocus("Set up");
  await page().getByRole("gridcell", { name: "e5, black king" }).waitFor();
});

test("the help lists the keys, and Escape gives the focus back", async () => {
  await press("b", "?");
  const help = page().getByRole("dialog", { name: "Help" });
  await help.waitFor();
  for (const label of ["Step back", "Flip the board", "Type a move", "Go to the squares"]) {
    assert.equal(await help.getByText(label, { exact: true }).count(), 1, label);
  }
  await press("Escape");
  await help.waitFor({ state: "detached" });
  await expectFocus("e2, white pawn");
});
