/** The sets of pieces: chosen by keyboard, shown on every board, kept, and never missing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage, click, expectLines } from "./browser.mjs";

const page = boardPage({ allowed: [/ERR_FAILED/] });
const dialog = (name) => page().getByRole("dialog", { name });
const openSettings = async () => {
  await page().getByRole("button", { name: "Settings" }).focus();
  await page().keyboard.press("Enter");
  await dialog("Settings").waitFor();
};
const set = (name) => dialog("Settings").getByLabel(name, { exact: true });

/** The drawings that these elements show. */
const pictures = (selector) => page().locator(selector).evaluateAll((pieces) =>
  pieces.map((piece) => getComputedStyle(piece).backgroundImage));
const drawing = async (selector) => {
  await page().locator(selector).first().waitFor({ state: "attached" });
  return (await pictures(selector))[0];
};
const shownSet = (name) => page().locator(`html[data-pieces="${name}"]`).waitFor();

test("each set is chosen by keyboard, and has a drawing of its own for each piece", async () => {
  await openSettings();
  await set("Classic").focus();
  const seen = new Set();
  for (const name of ["classic", "flat", "shapes", "letters"]) {
    if (name !== "classic") await page().keyboard.press("ArrowRight");
    await shownSet(name);
    for (const picture of await pictures(".page > .board cg-board piece")) seen.add(picture);
  }
  assert.equal(seen.size, 4 * 12);
  assert.ok([...seen].every((picture) => picture.startsWith("url")));
  // Four samples stand beside the names, each in its own set.
  const samples = await pictures(".sample piece");
  assert.equal(new Set(samples).size, 4 * 2);
  await page().keyboard.press("ArrowRight");
  await shownSet("classic");
});

test("a chosen set is on all boards, also after a reload and with Black below", async () => {
  await openSettings();
  await set("Shapes").check();
  await shownSet("shapes");
  await page().keyboard.press("Escape");
  const knight = await drawing(".page > .board piece.knight.white");
  await expectLines(page(), "1\\.");
  // Lines that stay as they are under the pointer.
  await page().getByRole("button", { name: "Pause" }).click();
  await page().locator(".pv-move").first().hover();
  assert.equal(await drawing(".line-preview piece.knight.white"), knight);
  await page().mouse.move(5, 5);

  await page().getByRole("button", { name: "Set up" }).click();
  assert.equal(await drawing(".palette piece.knight.white"), knight);
  assert.equal(await drawing(".setup-board .board piece.knight.white"), knight);
  await dialog("Set up position").getByLabel("FEN").fill("4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
  await page().getByRole("button", { name: "Analyse", exact: true }).last().click();
  await dialog("Set up position").waitFor({ state: "detached" });
  await click(page(), "a7", "a8");
  assert.equal(await drawing(".promotion piece.knight.white"), knight);
  await page().keyboard.press("Escape");
  // These pawns point to where they go.
  const up = await drawing(".page > .board piece.pawn.white");
  await page().keyboard.press("f");
  await page().locator(".page > .board .orientation-black").waitFor();
  assert.notEqual(await drawing(".page > .board piece.pawn.white"), up);

  // The first pieces that the page shows are of the set.
  await page().addInitScript(() => {
    new MutationObserver(() => {
      if (!document.querySelector("cg-board piece")) return;
      globalThis.firstSet ??= document.documentElement.dataset.pieces;
    }).observe(document, { childList: true, subtree: true });
  });
  await page().reload();
  await page().locator("cg-board piece").first().waitFor();
  assert.equal(await page().evaluate(() => globalThis.firstSet), "shapes");
  await openSettings();
  assert.ok(await set("Shapes").isChecked());
});

test("a set that cannot be loaded leaves the pieces as they are", async () => {
  await page().route(/pieces-flat/, (route) => route.abort());
  const before = await drawing("cg-board piece.king.white");
  await openSettings();
  await set("Flat").check();
  // The message is in the dialog: outside of it nothing is seen or read aloud.
  await page().getByRole("dialog").getByRole("status", { name: "Messages" })
    .getByText("The pieces cannot be loaded without the server.").waitFor();
  assert.equal(await drawing("cg-board piece.king.white"), before);
  // A quick change ends with the last choice.
  await page().unroute(/pieces-flat/);
  for (const name of ["Letters", "Shapes", "Flat"]) await set(name).check();
  await shownSet("flat");
  assert.notEqual(await drawing("cg-board piece.king.white"), before);
});
