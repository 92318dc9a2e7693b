/** Opening, copying and naming games in Chromium. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { boardPage } from "./browser.mjs";
import { expectListed, fileOf, gameMenu, openGame, paste } from "./games.mjs";

// The browser complains about each refusal that these tests provoke.
const page = boardPage({ allowed: [/responded with a status of (401|503)/, /ERR_FAILED/] });
const dialog = () => page().getByRole("dialog");
const alert = () => dialog().getByRole("alert");
const copied = async (command) => {
  await page().context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page().evaluate(() => navigator.clipboard.writeText(""));
  await gameMenu(page(), command);
  for (;;) {
    const text = await page().evaluate(() => navigator.clipboard.readText());
    if (text !== "") return text;
  }
};
const choose = (file) => page().locator("input[type=file]").setInputFiles(file);

const GAME = `[Event "Test"]
[White "Ann"]
[Black "Ben"]
[Result "1-0"]

{ Before } 1. e4 $1 $14 { [%clk 0:03:00] good } ( 1. d4 d5 { two } ) 1... e5 1-0
`;

test("a pasted PGN is opened, and undo brings back what was there", async () => {
  await openGame(page(), "1. d4 d5");
  await expectListed(page(), "d4 d5");
  await openGame(page(), GAME);
  await expectListed(page(), "e4 d4 d5 e5");
  await page().keyboard.press("Control+z");
  await expectListed(page(), "d4 d5");
});

test("the dialog for texts opens with the focus in its field, and an error goes back there",
  async () => {
    const isInField = () => page().waitForFunction(
      () => document.activeElement.ariaLabel === "PGN or FEN");
    await gameMenu(page(), /^Paste/);
    await isInField();
    await page().keyboard.type("what is this");
    await dialog().getByRole("button", { name: "Open", exact: true }).click();
    await alert().getByText("This is neither a FEN nor a PGN").waitFor();
    await isInField();
    await page().keyboard.press("Control+a");
    await page().keyboard.type("1. e4 e5");
    await page().keyboard.press("Control+Enter");
    await expectListed(page(), "e4 e5");
  });

test("a message tells what was opened, over neither field nor first rank, with an undo",
  async () => {
    const message = (text) => page().locator(".toast", { hasText: text });
    for (const [width, height] of [[1366, 768], [1000, 700], [390, 844]]) {
      await page().setViewportSize({ width, height });
      await openGame(page(), "1. d4 d5");
      await message("The game was opened.").last().waitFor();
      const { y, height: size } = await message("The game was opened.").last().boundingBox();
      const board = await page().locator(".board cg-board").boundingBox();
      assert.ok(y + size < board.y + 7 / 8 * board.height, `${width}: ${y} + ${size}`);
    }
    await page().setViewportSize({ width: 1280, height: 800 });
    await openGame(page(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    await message("The position was opened.").getByRole("button", { name: "Undo" }).click();
    await expectListed(page(), "d4 d5");
    await message("The position was opened.").waitFor({ state: "detached" });
  });

test("a pasted FEN is the start position", async () => {
  await openGame(page(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
  await page().locator("cg-board piece").nth(2).waitFor();
  assert.equal(await page().locator("cg-board piece").count(), 3);
  assert.equal(await copied("Copy FEN"), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
});

test("a game that is pasted anywhere on the page is opened, unless it is wrong", async () => {
  const pasteOnPage = (text) => page().evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, text);
  await pasteOnPage("1. c4 c5");
  await expectListed(page(), "c4 c5");
  await pasteOnPage("1. c5");
  await alert().getByText("1. c5 is not a legal move").waitFor();
  await expectListed(page(), "c4 c5");
});

test("errors stand beside the text, which stays", async () => {
  await openGame(page(), "1. d4");
  await paste(page(), "what is this");
  await alert().getByText("This is neither a FEN nor a PGN").waitFor();
  const field = page().getByRole("textbox", { name: "PGN or FEN" });
  assert.equal(await field.inputValue(), "what is this");
  await field.fill("4k3/8/8/8/8/8/4P3/8 w - - 0 1");
  await page().keyboard.press("Control+Enter");
  await alert().getByText("Each side needs exactly one king.").waitFor();
  await field.fill("1. e4 e5 2. Ke3 Nc6");
  await page().keyboard.press("Control+Enter");
  await alert().getByText("2. Ke3 is not a legal move. The moves before it can be opened.").waitFor();
  await expectListed(page(), "d4");
  await dialog().getByRole("button", { name: "Open what is legal" }).click();
  await expectListed(page(), "e4 e5");
});

test("a file with many games is a list with a filter, and bad games are marked", async () => {
  await choose(fileOf("many.pgn", [
    GAME, '[White "Carl"]\n[Black "Dora"]\n\n1. e4 Ke7 *', '[White "Eve"]\n[FEN "x"]\n\n1. e4 *',
    '[White "Fay"]\n[Black "Ann"]\n\n1. c4 c5 *',
  ].join("\n\n")));
  const rows = dialog().getByRole("option");
  await dialog().getByText("4 games, 2 have errors.").waitFor();
  assert.equal(await rows.count(), 4);
  assert.match(await rows.nth(1).innerText(), /Carl – Dora[^]*1… Ke7 is not a legal move/);
  assert.match(await rows.nth(2).innerText(), /Eve – \?[^]*Cannot be opened. The tag FEN is wrong/);
  await rows.nth(2).click();
  await alert().getByText("Cannot be opened. The tag FEN is wrong").waitFor();
  await dialog().getByRole("combobox").click();
  await page().keyboard.type("ann");
  await dialog().getByText("2 of 4 games").waitFor();
  await page().keyboard.press("ArrowDown");
  await page().keyboard.press("Enter");
  await expectListed(page(), "c4 c5");
});

test("a game of a list with an illegal move opens up to it and says so", async () => {
  const text = '[White "Müller"]\n\n1. e4 Ke7 *\n\n[White "B"]\n\n1. d4 *';
  await choose({
    name: "old.pgn", mimeType: "text/plain", buffer: Buffer.from(text, "latin1"),
  });
  await dialog().getByRole("option", { name: /Müller/ }).click();
  await page().locator(".toast.error", { hasText: "1… Ke7 is not a legal move" }).waitFor();
  await expectListed(page(), "e4");
});

test("a selection of text that ends outside of a dialog leaves it open", async () => {
  await gameMenu(page(), /^Paste/);
  const field = page().getByRole("textbox", { name: "PGN or FEN" });
  await field.fill("1. e4");
  const { x, y } = await field.boundingBox();
  await page().mouse.move(x + 20, y + 15);
  await page().mouse.down();
  await page().mouse.move(5, 5);
  await page().mouse.up();
  assert.equal(await field.inputValue(), "1. e4");
  await page().mouse.click(5, 5);
  await dialog().waitFor({ state: "detached" });
});

test("thousands of games open without a long list in the page", async () => {
  const games = Array.from({ length: 3_000 }, (_, index) =>
    `[White "W${index}"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 2. Nf3 *\n\n`);
  await choose(fileOf("thousands.pgn", games.join("")));
  await dialog().getByText("3,000 games").waitFor();
  assert.ok(await dialog().getByRole("option").count() < 40);
  await page().keyboard.type("w2999");
  await page().keyboard.press("Enter");
  await page().locator(".toast", { hasText: "W2999 – B was opened" }).waitFor();
  await expectListed(page(), "e4 e5 Nf3");
});

test("5 MB of PGN leave the page usable while they are read and checked", async () => {
  await page().evaluate(() => {
    const comment = "long ".repeat(30);
    const game = `[White "A"]\n[Black "B"]\n\n1. e4 {${comment}} e5 2. Nf3 {${comment}} Nc6 *\n\n`;
    const data = new DataTransfer();
    data.items.add(new File([game.repeat(Math.ceil(5_000_000 / game.length))], "large.pgn"));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    // How often other work gets its turn until the list is there.
    window.turns = 0;
    const turn = () => {
      window.turns += 1;
      if (!document.querySelector("[role=listbox]")) setTimeout(turn);
    };
    turn();
  });
  await dialog().getByText(/^[\d,]+ games\.( \d+% checked\.)?$/).waitFor({ timeout: 60_000 });
  const turns = await page().evaluate(() => window.turns);
  assert.ok(turns > 5, `other work had ${turns} turns`);
  await page().keyboard.type("nobody");
  await dialog().getByText("No game has all these words.").waitFor();
  // The first Escape clears the filter.
  await page().keyboard.press("Escape");
  await page().keyboard.press("Escape");
  await dialog().waitFor({ state: "detached" });
});

test("a dropped file is opened, and one that is too large is refused with the limit", async () => {
  const drop = (size) => page().evaluate(async (bytes) => {
    const data = new DataTransfer();
    const text = bytes === 0 ? "1. c4 e5" : "x".repeat(bytes);
    data.items.add(new File([text], "game.pgn"));
    document.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, size);
  await drop(0);
  await expectListed(page(), "c4 e5");
  await drop(21_000_000);
  await alert().getByText("larger than 20 MB").waitFor();
});

test("a file that is read slowly does not replace a later one", async () => {
  await page().evaluate(() => {
    const { arrayBuffer } = Blob.prototype;
    const held = new Promise((resolve) => { window.release = resolve; });
    Blob.prototype.arrayBuffer = async function () {
      if (this.name === "slow.pgn") await held;
      return arrayBuffer.call(this);
    };
  });
  const drop = (text, name) => page().evaluate(([content, called]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], called));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, [text, name]);
  await drop("1. d4 d5", "slow.pgn");
  await dialog().waitFor();
  await drop("1. c4 e5", "fast.pgn");
  await expectListed(page(), "c4 e5");
  await page().evaluate(() => window.release());
  await page().waitForTimeout(300);
  await expectListed(page(), "c4 e5");
  assert.equal(await page().locator(".toast").count(), 1);
});

test("a pasted PGN with too many nested variations is a sentence", async () => {
  const nested = `${"(1. d4 ".repeat(5_000)}${")".repeat(5_000)}`;
  await paste(page(), `1. e4 ${nested} 1... e5`);
  await alert().getByText(/nested/).waitFor();
});

test("PGN is copied and downloaded with all that the tree holds", async () => {
  await openGame(page(), GAME);
  assert.equal(await copied("Copy PGN"), GAME);
  const download = page().waitForEvent("download");
  await gameMenu(page(), "Download PGN");
  const file = await download;
  assert.equal(file.suggestedFilename(), "Ann-Ben.pgn");
  assert.equal(readFileSync(await file.path(), "utf8"), GAME);
});

test("a line is copied as PGN from the menu of its last move", async () => {
  await page().context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await openGame(page(), GAME);
  await page().locator(".move", { hasText: "d5" }).click({ button: "right" });
  await page().getByRole("menuitem", { name: "Copy line as PGN" }).click();
  await page().locator(".toast", { hasText: "The line was copied" }).waitFor();
  assert.equal(await page().evaluate(() => navigator.clipboard.readText()), "1. d4 d5 *\n");
});

test("tags are edited as one edit, and wrong names are refused", async () => {
  await openGame(page(), GAME);
  await gameMenu(page(), /^Edit tags/);
  await dialog().getByRole("textbox", { name: "White" }).fill("Zoe");
  await dialog().getByRole("button", { name: "Add a tag" }).click();
  await dialog().getByRole("textbox", { name: "Name of the tag" }).fill("Opening of it");
  await dialog().getByRole("textbox", { name: "Opening of it" }).fill("King's pawn");
  await dialog().getByRole("button", { name: "Save" }).click();
  await alert().getByText("“Opening of it” is not the name of a tag").waitFor();
  await dialog().getByRole("textbox", { name: "Name of the tag" }).fill("Opening");
  await dialog().getByRole("button", { name: "Save" }).click();
  await dialog().waitFor({ state: "detached" });
  const tags = async () => (await copied("Copy PGN")).match(/\[White .*|\[Opening .*/g);
  assert.deepEqual(await tags(), ['[White "Zoe"]', '[Opening "King\'s pawn"]']);
  await page().keyboard.press("Control+z");
  assert.deepEqual(await tags(), ['[White "Ann"]']);
});

test("a new analysis is an edit that can be undone", async () => {
  await openGame(page(), GAME);
  await gameMenu(page(), "New analysis");
  await expectListed(page(), "");
  await page().keyboard.press("Control+z");
  await expectListed(page(), "e4 d4 d5 e5");
});

/** The picture that the server draws of a query. */
async function drawn(type, query) {
  const response = await fetch(new URL(`/board.${type}?${query}`, process.env.BOARD_URL));
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

const save = async (command) => {
  const download = page().waitForEvent("download");
  await gameMenu(page(), command);
  return download;
};

const CHECKED = '[White "Ann"]\n[Black "Ben"]\n\n1. e4 f5 2. Qh5+ {[%csl Rd4][%cal Gh5e8]} *';

test("pictures show what is on the board, as the server draws it", async () => {
  await openGame(page(), CHECKED);
  await page().keyboard.press("End");
  await page().keyboard.press("f");
  await page().locator(".cg-wrap.orientation-black").waitFor();
  const fen = "rnbqkbnr/ppppp1pp/8/5p1Q/4P3/8/PPPP1PPP/RNB1KBNR_b_KQkq_-_1_2";
  const query = `fen=${fen}&orientation=black&lastMove=d1h5&check=e8&arrows=Rd4,Gh5e8`
    + "&coordinates=true&size=720";
  for (const type of ["svg", "png"]) {
    const file = await save(`Save picture (${type.toUpperCase()})`);
    assert.equal(file.suggestedFilename(), `Ann-Ben.${type}`);
    assert.deepEqual(readFileSync(await file.path()), await drawn(type, query));
  }
  const { origin } = new URL(process.env.BOARD_URL);
  assert.equal(await copied("Copy link to the picture"), `${origin}/board.png?${query}`);
  const link = await copied("Copy link to this position");
  assert.equal(link, `${origin}/?fen=${fen}`);
  const preview = await (await fetch(link)).text();
  assert.match(preview, /og:image" content="[^"]*\/board\.png\?fen=rnbqkbnr\/ppppp1pp/);
});

test("a picture that the server cannot draw is named, and the API key goes with the request",
  async () => {
    const toast = (text) => page().locator(".toast.error", { hasText: text }).waitFor();
    await page().route(/board\.png/, (route) => route.fulfill({
      status: 503, contentType: "application/problem+json",
      body: JSON.stringify({ title: "Busy", status: 503, code: "queue_full" }),
    }));
    await gameMenu(page(), "Save picture (PNG)");
    await toast("The picture could not be saved. The server is busy.");
    await page().route(/board\.svg/, (route) => route.abort());
    await gameMenu(page(), "Save picture (SVG)");
    await toast("The picture could not be saved. The server cannot be reached.");
    await page().unrouteAll();
    await page().evaluate(() => sessionStorage.setItem("kibitzer.key", "a-key"));
    await page().reload();
    await page().getByRole("grid", { name: "Board" }).waitFor();
    let sent;
    await page().route(/board\.png/, (route) => {
      sent = route.request().headers().authorization;
      return route.fulfill({ status: 200, contentType: "image/png", body: "picture" });
    });
    const file = await save("Save picture (PNG)");
    assert.equal(readFileSync(await file.path(), "utf8"), "picture");
    assert.equal(sent, "Bearer a-key");
    const link = await copied("Copy link to the picture");
    assert.ok(!link.includes("a-key"));
    await page().locator(".toast", { hasText: "The link is without your API key" }).waitFor();
  });
