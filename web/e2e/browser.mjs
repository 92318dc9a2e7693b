/** Chromium, and the steps that several tests share. */
import { chromium } from "playwright-core";

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    // The tests must also run as root and without a network.
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
  });
}

/** The middle of a square on the screen, with White below. */
export async function middleOf(page, square) {
  const { x, y, width } = await page.locator("cg-board").boundingBox();
  const size = width / 8;
  const file = square.charCodeAt(0) - "a".charCodeAt(0);
  return [x + (file + 0.5) * size, y + (8.5 - Number(square[1])) * size];
}

/** What changes with a move: the shown move, or the question for the piece of a promotion. */
const shownMove = (before) => {
  const now = document.querySelector(".promotion") ? "promotion" :
    [...document.querySelectorAll(".move")].map((move) => move.ariaCurrent + move.textContent).join();
  return before === undefined ? now : now !== before;
};

/** Plays a move by two clicks, and waits until the page shows it. */
export async function click(page, from, to) {
  const before = await page.evaluate(shownMove);
  await page.mouse.click(...(await middleOf(page, from)));
  await page.locator("cg-board square.move-dest:visible").first().waitFor();
  await page.mouse.click(...(await middleOf(page, to)));
  await page.waitForFunction(shownMove, before);
}

/** Waits until the first line of the engine begins with the move of this number. */
export async function expectLines(page, number) {
  const line = page.locator("button.line .pv").first();
  await line.filter({ hasText: new RegExp(`^${number} `) }).waitFor();
  return page.locator("button.line").allInnerTexts();
}
