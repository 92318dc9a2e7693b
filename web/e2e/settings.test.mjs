/** The settings: each takes effect at once and is kept. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage, click, expectMoves } from "./browser.mjs";

const page = boardPage();
const dialog = () => page().getByRole("dialog", { name: "Settings" });
const open = () => page().getByRole("button", { name: "Settings" }).click();
const choose = (name) => dialog().getByLabel(name, { exact: true }).check();
const pageColor = () => page().evaluate(() => getComputedStyle(document.body).backgroundColor);
const squareColor = () => page().evaluate(() =>
  getComputedStyle(document.querySelector("cg-board")).backgroundImage);

test("the colours follow the system until the user chooses, and the choice is kept", async () => {
  const light = await pageColor();
  await page().emulateMedia({ colorScheme: "dark" });
  const dark = await pageColor();
  assert.notEqual(dark, light);
  await open();
  await dialog().getByRole("group", { name: "Colours of the page" })
    .getByText("Your system is dark now.").waitFor();
  await choose("Light");
  assert.equal(await pageColor(), light);
  await page().emulateMedia({ colorScheme: "light" });
  await choose("Dark");
  assert.equal(await pageColor(), dark);
  await page().reload();
  await page().locator("cg-board piece").first().waitFor();
  assert.equal(await pageColor(), dark);
});

test("four boards differ, in light and dark", async () => {
  await open();
  const colors = new Set();
  for (const scheme of ["light", "dark"]) {
    await page().emulateMedia({ colorScheme: scheme });
    for (const name of ["Green", "Brown", "Blue", "Grey"]) {
      await choose(name);
      colors.add(await squareColor());
    }
  }
  assert.equal(colors.size, 8);
});

test("coordinates, arrows and animation can be turned off", async () => {
  await page().locator(".board .cg-shapes [cgHash]").first().waitFor({ state: "attached" });
  await open();
  await dialog().getByLabel("Coordinates on the board").uncheck();
  await page().locator(".board coords").first().waitFor({ state: "detached" });
  await dialog().getByLabel("Arrow for the best move").uncheck();
  await page().locator(".board .cg-shapes [cgHash]").first().waitFor({ state: "detached" });
  await page().keyboard.press("Escape");
  // The board still takes moves after it was drawn anew.
  await click(page(), "e2", "e4");
  await expectMoves(page(), "e4");
});

/** Counts the pieces that chessground moves bit by bit. */
const watchMotion = () => page().evaluate(() => {
  window.moving = 0;
  new MutationObserver(() => {
    window.moving += document.querySelectorAll(".board piece.anim").length;
  }).observe(document.querySelector(".board"), { subtree: true, attributeFilter: ["class"] });
});
const step = async () => {
  await page().keyboard.press("ArrowLeft");
  await page().getByRole("gridcell", { name: "e2, white pawn" }).waitFor({ state: "attached" });
  await page().keyboard.press("ArrowRight");
  await page().getByRole("gridcell", { name: "e4, white pawn" }).waitFor({ state: "attached" });
};

test("pieces move by themselves only where the system allows it", async () => {
  await click(page(), "e2", "e4");
  await watchMotion();
  await step();
  await page().waitForFunction(() => window.moving > 0);
  // The system's setting counts at once, without a reload.
  await page().emulateMedia({ reducedMotion: "reduce" });
  await page().waitForFunction(() => !document.querySelector(".board piece.anim"));
  await page().evaluate(() => { window.moving = 0; });
  await step();
  assert.equal(await page().evaluate(() => window.moving), 0);
  await open();
  await dialog().getByText("Your system asks for no motion.").waitFor();
});

test("sounds are off until they are turned on", async () => {
  await page().evaluate(() => {
    window.tones = 0;
    const Oscillator = window.OscillatorNode;
    window.OscillatorNode = class extends Oscillator {
      constructor(...options) {
        super(...options);
        window.tones += 1;
      }
    };
  });
  await click(page(), "e2", "e4");
  assert.equal(await page().evaluate(() => window.tones), 0);
  await open();
  await dialog().getByLabel("Sounds").check();
  await page().keyboard.press("Escape");
  await click(page(), "e7", "e5");
  await page().waitForFunction(() => window.tones === 1);
});

test("kept settings of another version, or broken ones, do no harm", async () => {
  for (const text of ["{", "[]", '{"theme":"pink","boardTheme":"blue","sounds":7}']) {
    await page().evaluate((kept) => localStorage.setItem("kibitzer.settings", kept), text);
    await page().reload();
    await page().locator("cg-board piece").first().waitFor();
  }
  await open();
  assert.ok(await dialog().getByLabel("As the system").isChecked());
  assert.ok(await dialog().getByLabel("Blue", { exact: true }).isChecked());
  assert.ok(!(await dialog().getByLabel("Sounds").isChecked()));
});
