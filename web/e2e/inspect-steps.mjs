/** Steps and texts of the panel “Inspect” that several tests share. */
import assert from "node:assert/strict";
import * as steps from "./browser.mjs";

const { BOARD_URL } = process.env;

/** The page of the test that runs. */
export const page = steps.boardPage({ allowed: [/status of (422|429|503)/, /ERR_FAILED/] });

/** The squares of the board with a class, by their place on the screen with White below. */
const marked = (name) => page().evaluate((wanted) => {
  const board = document.querySelector(".page > .board cg-board").getBoundingClientRect();
  return [...document.querySelectorAll(`.page > .board square.${wanted}`)]
    .filter((square) => square.style.display !== "none")
    .map((square) => {
      const { left, top } = square.getBoundingClientRect();
      const file = Math.round(((left - board.left) / board.width) * 8);
      return "abcdefgh"[file] + (8 - Math.round(((top - board.top) / board.height) * 8));
    })
    .sort()
    .join(" ");
}, name);

/** Waits until the squares with a class are these. */
export async function expectMarked(name, squares) {
  const wanted = squares.split(" ").filter(Boolean).sort().join(" ");
  for (let tries = 0; ; tries++) {
    const seen = await marked(name);
    if (seen === wanted) return;
    if (tries === 100) assert.equal(seen, wanted);
    await page().evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

export async function post(path, body) {
  const response = await fetch(new URL(path, BOARD_URL), {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
}

export const position = (...moves) => post("/v1/position", { fen: "startpos", moves });
export const lastPly = async (...moves) =>
  (await post("/v1/play", { fen: "startpos", moves })).plies.at(-1);

export async function play(...moves) {
  for (const move of moves) await steps.click(page(), move.slice(0, 2), move.slice(2));
}

/** Opens a form and waits until it shows the present position. */
export async function open(name) {
  const panel = page().getByRole("region", { name: "Inspect" });
  if (!(await panel.isVisible())) await page().getByRole("button", { name: "Inspect" }).click();
  await page().getByRole("tab", { name, exact: true }).click();
  await expectCurrent();
}

/** Waits until all that is shown belongs to the position on the board. */
export async function expectCurrent() {
  await page().locator(".inspect-form .values").waitFor();
  await page().locator(".inspect-form [aria-busy=true]").waitFor({ state: "detached" });
}

export const list = (name) => page().getByRole("listbox", { name, exact: true });
export const squareField = () => page().getByRole("textbox", { name: "Square", exact: true });
export const option = (name) => page().getByRole("option", { name }).first();
/** The texts of a list: the columns of each row, or its one text. */
export const texts = (name) => list(name).getByRole("option").evaluateAll((options) =>
  options.map((row) => [...row.querySelectorAll(":scope > span")].map((span) => span.textContent)));
export const flat = async (name) => (await texts(name)).flat().join("");
export const value = (label) =>
  page().locator(".copyable", { hasText: label }).locator("code").first().innerText();

export const squareName = (square) => "abcdefgh"[square % 8] + (Math.floor(square / 8) + 1);
export const squaresOf = (hex) =>
  Array.from({ length: 64 }, (_, square) => square)
    .filter((square) => (BigInt(`0x${hex}`) >> BigInt(square)) & 1n)
    .map(squareName).join(" ");

/** Whether the middle of an element is in the window, with nothing over it. */
export const isInView = (selector) => page().locator(selector).first().evaluate((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  const hit = document.elementFromPoint(x + width / 2, y + height / 2);
  return element.contains(hit) && y >= 0 && y + height <= innerHeight;
});
