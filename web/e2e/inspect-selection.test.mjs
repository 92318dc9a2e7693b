/** The selection in the panel “Inspect”: by board, bits, keys and links, and on a phone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as steps from "./browser.mjs";
import {
  page, expectMarked, play, open, expectCurrent, list, squareField, option, flat, isInView,
} from "./inspect-steps.mjs";

const { BOARD_URL } = process.env;

test("a chosen bitboard is drawn on the board, bit by bit, and follows the moves", async () => {
  await open("Bitboards");
  await option(/^white pawns/).click();
  await expectMarked("inspect-set", "a2 b2 c2 d2 e2 f2 g2 h2");
  const bits = (await flat(/^Bits of white pawns/)).replaceAll(/[^01]/g, "");
  assert.equal(BigInt(`0b${bits}`), 0xff00n);
  await option("bit 12, e2: 1").click();
  await expectMarked("inspect-mark", "e2");
  await play("e2e4");
  await expectMarked("inspect-set", "a2 b2 c2 d2 e4 f2 g2 h2");
  await option(/^white pawns/).click();
  await expectMarked("inspect-set", "");
});

test("a square chosen on the board is marked in a form, and a bit marks its square", async () => {
  await open("Piece bytes");
  await page().mouse.click(...(await steps.middleOf(page(), "b1")));
  await expectMarked("inspect-mark", "b1");
  assert.equal(await page().locator(".cells .marked").first().innerText(), "9");
  assert.equal(await squareField().inputValue(), "b1");
  await page().locator(".readout", { hasText: "b1: white knight" }).waitFor();
  // Pointing marks for as long as the mouse is there.
  await option(/^h8:/).hover();
  await expectMarked("inspect-mark", "h8");
  await page().mouse.move(5, 5);
  await expectMarked("inspect-mark", "b1");
  // The click has not disturbed the board: the knight was chosen, too, and can move.
  await page().mouse.click(...(await steps.middleOf(page(), "c3")));
  await steps.expectMoves(page(), "Nc3");
  // The choice goes with the knight, also where the move is taken back.
  await list("Bits of c3").waitFor();
  await page().keyboard.press("ArrowLeft");
  await list("Bits of b1").waitFor();
  await expectMarked("inspect-mark", "b1");
  assert.equal(await squareField().inputValue(), "b1");
});

test("everything is reached with keys alone", async () => {
  const press = (key) => page().keyboard.press(key);
  await press("i");
  await expectCurrent();
  await page().getByRole("tab", { name: "Bitboards", exact: true }).focus();
  await press("ArrowDown");
  await page().getByRole("heading", { name: /^Seven bitboards/ }).waitFor();
  await press("ArrowUp");
  // From the tabs to the values: the link of the form, then the cards.
  for (let stops = 0; stops < 10; stops++) {
    await press("Tab");
    if (await list("Bitboards").evaluate((node) => node === document.activeElement)) break;
  }
  await expectMarked("inspect-mark", "a2 b2 c2 d2 e2 f2 g2 h2");
  await press("ArrowRight");
  await expectMarked("inspect-mark", "b1 g1");
  await press("Enter");
  await expectMarked("inspect-set", "b1 g1");
  // The arrow keys have not moved through the game, and other keys still work.
  await press("f");
  await page().locator(".page > .board .orientation-black").waitFor();
  await press("f");
  await list(/^Bits of white knights/).focus();
  for (let bit = 63; bit > 57; bit--) await press("ArrowRight");
  await expectMarked("inspect-mark", "b8");
  await press("ArrowDown");
  await expectMarked("inspect-mark", "b4");
  await press("Enter");
  await squareField().focus();
  await press("ArrowUp");
  await press("ArrowRight");
  await expectMarked("inspect-mark", "c5");
  await press("Escape");
  await expectMarked("inspect-mark", "");
});

test("a square that is none is refused where it is typed", async () => {
  await open("Nibbles");
  await squareField().fill("k9");
  await page().getByText("“k9” is not a square; type a1 to h8.").waitFor();
  await squareField().fill("h8");
  await expectMarked("inspect-mark", "h8");
  assert.equal(await page().getByText("is not a square").count(), 0);
});

test("closing the panel clears the board", async () => {
  await open("Bitboards");
  await option(/^all pieces/).click();
  await squareField().fill("e4");
  await expectMarked("inspect-mark", "e4");
  await page().getByRole("button", { name: "Inspect" }).click();
  await expectMarked("inspect-set", "");
  await expectMarked("inspect-mark", "");
});

test("a link opens a form", async () => {
  await page().goto(new URL("/#inspect=huffman", BOARD_URL).href);
  await page().getByText("164 bits for the 64 squares").waitFor();
  await page().evaluate(() => { location.hash = "#inspect=nibbles"; });
  await list("Nibbles").waitFor();
  await page().goto(new URL("/#inspect=nonsense", BOARD_URL).href);
  await page().locator(".toast", { hasText: "There is no form “nonsense”. The forms are fen, bit" })
    .waitFor();
  await page().getByRole("tab", { name: "Nibbles", selected: true }).waitFor();
});

test("the panel fits a phone of 320 pixels, form by form", async () => {
  await page().setViewportSize({ width: 320, height: 640 });
  await play("e2e4");
  await page().getByRole("button", { name: "Inspect" }).click();
  await expectCurrent();
  const select = page().getByRole("combobox", { name: /^Form/ });
  const forms = await select.locator("option").evaluateAll((all) => all.map(({ value }) => value));
  assert.equal(forms.length, 16);
  for (const part of [".inspect-form header", ".page > .board", ".tool-buttons"]) {
    assert.ok(await isInView(part), part);
  }
  for (const form of forms) {
    await select.selectOption(form);
    await expectCurrent();
    const width = await page().evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 320, form);
  }
});
