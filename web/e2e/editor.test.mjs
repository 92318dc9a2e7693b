/** The setup editor: any position by pointer, keyboard and FEN, with the server's errors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage, click, expectLines, expectMoves } from "./browser.mjs";

// The server refuses illegal positions, which the browser writes to the console.
const page = boardPage({ allowed: [/status of 422/, /ERR_FAILED/, /WebSocket/] });
const dialog = () => page().getByRole("dialog", { name: "Set up position" });
const fen = () => dialog().getByLabel("FEN");
const tool = (name) => dialog().getByRole("radio", { name });
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

async function open() {
  await page().getByRole("button", { name: "Set up" }).click();
  await dialog().locator("cg-board piece").first().waitFor();
}
const expectFen = (text) =>
  page().waitForFunction((wanted) => document.querySelector(".fen input").value === wanted, text);
const status = (text) => dialog().locator("footer p", { hasText: text }).waitFor();

/** The middle of a square of the editor's board. */
async function at(square) {
  const { x, y, width } = await dialog().locator("cg-board").boundingBox();
  const file = square.charCodeAt(0) - "a".charCodeAt(0);
  return [x + ((file + 0.5) * width) / 8, y + ((8.5 - Number(square[1])) * width) / 8];
}
async function middle(locator) {
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2];
}
async function drag(from, to) {
  await page().mouse.move(...from);
  await page().mouse.down();
  await page().mouse.move(...to, { steps: 6 });
  await page().mouse.up();
}

test("pieces are dragged from the palette, over the board and off it", async () => {
  await open();
  await expectFen(START);
  await drag(await at("e2"), await at("e4"));
  await expectFen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1");
  await drag(await middle(tool("white queen")), await at("a5"));
  await expectFen("rnbqkbnr/pppppppp/8/Q7/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1");
  await drag(await at("a5"), await middle(dialog().getByRole("heading")));
  await expectFen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1");
});

test("a chosen piece is put and painted by clicks, and taken by the next click", async () => {
  await open();
  await dialog().getByRole("button", { name: "Clear" }).click();
  await expectFen("8/8/8/8/8/8/8/8 w - - 0 1");
  await page().mouse.click(...(await middle(tool("black pawn"))));
  await drag(await at("a7"), await at("c7"));
  await expectFen("8/ppp5/8/8/8/8/8/8 w - - 0 1");
  await page().mouse.click(...(await at("b7")));
  await expectFen("8/p1p5/8/8/8/8/8/8 w - - 0 1");
  await tool("Erase pieces").check();
  await page().mouse.click(...(await at("a7")));
  await expectFen("8/2p5/8/8/8/8/8/8 w - - 0 1");
});

test("each error of the server stands beside its field, and Analyse keeps the tree", async () => {
  await click(page(), "e2", "e4");
  await open();
  await fen().fill("4k3/8/8/8/8/8/8/8 x XY e9 -1 0");
  const errors = {
    board: "White has 0 kings; it must have 1.", side: /side/i, castling: /castling/i,
    en_passant: /en passant/i, halfmove_clock: /half-move clock/,
  };
  for (const [field, text] of Object.entries(errors)) {
    await dialog().locator(`#notes-${field} .error`, { hasText: text }).waitFor();
  }
  await dialog().getByRole("button", { name: "Analyse" }).click();
  await status(/errors, see: board/);
  // Analyse goes to the first error.
  await page().waitForFunction(() => document.activeElement.role === "gridcell");
  // A single error is told beside the buttons, too, and its squares are marked.
  await fen().fill("4k3/8/8/8/8/8/8/2K1K3 w - - 0 1");
  await status("White has 2 kings; it must have 1.");
  await dialog().getByRole("gridcell", { name: "c1, white king, wrong" }).waitFor();
  await dialog().getByRole("gridcell", { name: "e1, white king, wrong" }).waitFor();
  assert.equal(await dialog().locator("cg-board square.fault").count(), 2);
  await fen().fill("no FEN");
  await dialog().locator("#notes-fen .error", { hasText: "The FEN has 2 fields" }).waitFor();
  // A corrected fault is a warning.
  await fen().fill("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1");
  await dialog().locator("#notes-castling", { hasText: "was dropped" }).waitFor();
  await status("The position is legal.");
  await page().keyboard.press("Escape");
  await dialog().waitFor({ state: "detached" });
  await expectMoves(page(), "e4");
});

test("Analyse loads the position as an edit that undo takes back", async () => {
  await click(page(), "e2", "e4");
  await open();
  await fen().fill("4k3/8/8/8/8/8/4P3/4K3 b - - 5 40");
  await dialog().getByRole("button", { name: "Analyse" }).click();
  await dialog().waitFor({ state: "detached" });
  await expectMoves(page());
  await page().locator(".board-message", { hasText: "Black to move" }).waitFor();
  await click(page(), "e8", "e7");
  await expectMoves(page(), "Ke7");
  await page().keyboard.press("Control+z");
  await page().keyboard.press("Control+z");
  await expectMoves(page(), "e4");
});

test("Analyse in the same moment as a change counts the change", async () => {
  await page().route("**/v1/legal-moves", async (route) => {
    // Longer than the wait after a change.
    await new Promise((done) => setTimeout(done, 400));
    await route.continue();
  });
  await open();
  await fen().fill("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
  await page().keyboard.press("Enter");
  await dialog().waitFor({ state: "detached" });
  await page().getByRole("gridcell", { name: "a1, white rook" }).waitFor();
});

test("the fields write the FEN", async () => {
  await open();
  await dialog().getByLabel("Black", { exact: true }).check();
  await expectFen(START.replace(" w ", " b "));
  await dialog().getByLabel("White O-O", { exact: true }).uncheck();
  await dialog().getByLabel("Black O-O-O", { exact: true }).uncheck();
  await dialog().getByLabel("Half-move clock").fill("7");
  await dialog().getByLabel("Move number").fill("12");
  await expectFen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b Qk - 7 12");
  await fen().fill("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1");
  await dialog().getByLabel("En passant").selectOption("d6");
  await expectFen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
  await dialog().getByRole("button", { name: "Start position" }).click();
  await expectFen(START);
  await dialog().getByRole("button", { name: "Flip" }).click();
  await dialog().locator(".cg-wrap.orientation-black").waitFor();
});

test("Chess960 starts have numbers, and castling there is king takes rook", async () => {
  await open();
  await dialog().getByLabel("Start number").fill("960");
  await dialog().getByRole("button", { name: "Place" }).click();
  await dialog().getByText("“960” is no start number; write 0 to 959.").waitFor();
  await dialog().getByLabel("Start number").fill("959");
  await dialog().getByRole("button", { name: "Place" }).click();
  await expectFen("rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w KQkq - 0 1");
  await dialog().getByLabel("Another number for Black").check();
  await dialog().getByLabel("Black’s start number").fill("518");
  await dialog().getByRole("button", { name: "Place" }).click();
  await expectFen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w KQkq - 0 1");
  await dialog().getByRole("button", { name: "Random" }).click();
  await status("The position is legal.");
  await fen().fill("4k3/8/8/8/8/8/8/1RR1K1R1 w GC - 0 1");
  await dialog().getByLabel("Rook of White O-O-O").selectOption("b-file");
  await expectFen("4k3/8/8/8/8/8/8/1RR1K1R1 w GB - 0 1");
  await dialog().getByRole("button", { name: "Analyse" }).click();
  await dialog().waitFor({ state: "detached" });
  await click(page(), "e1", "g1");
  await expectMoves(page(), "O-O");
  await expectLines(page(), "1…");
});

test("the buttons are in view, errors move nothing, and Analyse goes to their field", async () => {
  await page().setViewportSize({ width: 1366, height: 768 });
  await open();
  await status("The position is legal.");
  const placeOf = (locator) => locator.evaluate((element) => element.getBoundingClientRect().y);
  const before = await placeOf(fen());
  const analyse = dialog().getByRole("button", { name: "Analyse" });
  const { y, height } = await analyse.boundingBox();
  const frame = await dialog().boundingBox();
  assert.ok(y + height < frame.y + frame.height, `${y} + ${height}`);
  await fen().fill("4k3/8/8/8/8/8/8/4K3 x - - 0 1");
  await status(/side/i);
  assert.equal(await placeOf(fen()), before);
  await analyse.click();
  await page().waitForFunction(() => document.activeElement.name === "setup-side");
  await fen().fill("8/7p/8/8/8/8/6P1/5RK1 b - - 0 1");
  await status("Black has 0 kings; it must have 1.");
  assert.equal(await placeOf(fen()), before);
});

test("a position is set up by keyboard alone", async () => {
  await open();
  const press = async (...keys) => {
    for (const key of keys) await page().keyboard.press(key);
  };
  await dialog().getByRole("button", { name: "Clear" }).focus();
  await press("Enter");
  await dialog().getByRole("gridcell", { name: "e1, empty" }).focus();
  await press("K", "ArrowUp", "P", "ArrowRight", "p", "Delete", "q");
  await expectFen("8/8/8/8/8/8/4Pq2/4K3 w - - 0 1");
  // Move the queen, and put a king with the tool.
  await press("Enter", "ArrowUp", "ArrowUp", "Enter");
  await expectFen("8/8/8/8/5q2/8/4P3/4K3 w - - 0 1");
  await tool("black king").focus();
  await press(" ");
  await dialog().getByRole("gridcell", { name: "f4, black queen" }).focus();
  await press("ArrowUp", "ArrowUp", "ArrowUp", "Enter");
  await expectFen("8/5k2/8/8/5q2/8/4P3/4K3 w - - 0 1");
  await dialog().getByRole("button", { name: "Analyse" }).focus();
  await press("Enter");
  await dialog().waitFor({ state: "detached" });
  await page().getByRole("gridcell", { name: "f7, black king" }).waitFor();
});

test("a server that never answers counts as gone after 20 seconds", async () => {
  await page().route("**/v1/legal-moves", () => undefined);
  await page().clock.install();
  await open();
  await page().clock.runFor(15_000);
  await status("Checking the position…");
  await page().clock.runFor(10_000);
  await status("The server cannot be reached. The page alone has checked the position.");
});

test("without the server the page checks the position and says so", async () => {
  await page().route("**/v1/legal-moves", (route) => route.abort());
  await open();
  await status("The server cannot be reached. The page alone has checked the position.");
  await fen().fill("8/8/8/8/8/8/8/4K3 w - - 0 1");
  await dialog().locator("#notes-board .error", { hasText: "one king" }).waitFor();
  await fen().fill("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
  await status("The position is legal.");
  await dialog().getByRole("button", { name: "Analyse" }).click();
  await dialog().waitFor({ state: "detached" });
  await page().getByRole("gridcell", { name: "h1, white rook" }).waitFor();
});
