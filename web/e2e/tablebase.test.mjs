/** The tablebase part of Explore, compared with the server's own answers. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { launch, serveFiles } from "./browser.mjs";
import { startServer, stopServer } from "./own-server.mjs";

/** Tables of KQvK and KRvK. */
const TABLES = fileURLToPath(new URL("../../tests/support/syzygy", import.meta.url));
const ROOK = "8/8/8/8/8/2k5/1R6/7K w - - 0 1";

let browser;
let server;
let address;
before(async () => {
  ({ server, address } = await startServer({
    settings: `\n[syzygy]\npaths = [${JSON.stringify(TABLES)}]\n`,
  }));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  if (server) await stopServer(server);
});

/** Runs a claim on the board of a position; `lookUps` are the bodies of requests of the page. */
async function withBoard(fen, claim, { open = true, allowed = /$^/ } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 1000 }, serviceWorkers: "block",
  });
  try {
    await serveFiles(context);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const complaints = [];
    const lookUps = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      const text = message.text();
      const isBad = message.type() === "error" && !text.startsWith("Service Worker");
      if (isBad && !allowed.test(text)) complaints.push(text);
    });
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/tablebase")) lookUps.push(request.postDataJSON().fen);
    });
    await page.goto(`http://${address}/?fen=${fen.replaceAll(" ", "_")}`);
    await page.getByRole("grid", { name: "Board" }).waitFor();
    await page.keyboard.press("l");
    if (open) await openPanel(page);
    await claim(page, lookUps);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

async function openPanel(page) {
  await page.keyboard.press("e");
  await page.locator(".explore-panel").waitFor();
}

/** Puts a position on the board without loading the page anew. */
const show = (page, fen) => page.evaluate((pasted) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", pasted);
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}, fen);

const part = (page) => page.getByRole("region", { name: "Tablebase" });
const outcome = (page, text) => part(page).locator(".outcome", { hasText: text }).waitFor();
const rows = (page) => part(page).getByRole("option");

async function api(fen) {
  const response = await fetch(`http://${address}/v1/tablebase`, {
    method: "POST", body: JSON.stringify({ fen }), headers: { "Content-Type": "application/json" },
  });
  assert.equal(response.status, 200);
  return response.json();
}

const HEADINGS = {
  "loss": "Win", "blessed-loss": "Win, but a draw by the 50-move rule", "draw": "Draw",
  "cursed-win": "Loss, but a draw by the 50-move rule", "win": "Loss",
};

/** The moves as the page lists them: a heading before each outcome, then moves with distances. */
const expectedItems = ({ moves }) => moves.flatMap(
  ({ san, category, dtz, checkmate, stalemate, zeroing }, index) => {
    const distance = checkmate || dtz === 0 ? "" : Math.abs(dtz);
    const mark = checkmate ? "mate" : stalemate ? "stalemate" : zeroing ? "capture" : "";
    const row = [san, distance, mark].join(" ").replace(/\s+/g, " ").trim();
    return moves[index - 1]?.category === category ? [row] : [HEADINGS[category], row];
  });

/** Waits until all moves of the server's answer are listed in its order. */
async function expectItems(page, answer) {
  await page.waitForFunction((expected) => {
    const textsOf = (item) => {
      const cells = [...item.querySelectorAll(":scope > :not(.only-read)")];
      return item.children.length === 0 ? [item.textContent]
        : cells.map((cell) => cell.textContent);
    };
    const texts = [...document.querySelectorAll(".tablebase-moves li")]
      .map((item) => textsOf(item).join(" ").replace(/\s+/g, " ").trim());
    return JSON.stringify(texts) === JSON.stringify(expected);
  }, expectedItems(answer));
}

test("outcome, distance and moves are the server's, from one request for a position",
  () => withBoard(ROOK, async (page, lookUps) => {
    const answer = await api(ROOK);
    assert.equal(answer.category, "win");
    await outcome(page, /^White wins$/);
    const distance = part(page).locator(".distance");
    assert.equal(await distance.innerText(), `zeroing in ${answer.dtz} plies`);
    assert.match(await distance.getAttribute("title"), /until a capture, a pawn move or mate/);
    await expectItems(page, answer);
    // A row draws an arrow, and a click plays it.
    const move = answer.moves[2];
    const row = rows(page).filter({ has: page.getByText(move.san, { exact: true }) });
    await page.keyboard.press("z");
    await page.waitForFunction(() => !document.querySelector(".cg-shapes line"));
    await row.hover();
    await page.locator(".cg-shapes line").waitFor({ state: "attached" });
    await row.click();
    await page.locator(".move", { hasText: move.san }).waitFor();
    const fen = "8/8/8/1R6/8/2k5/8/7K b - - 1 1";
    const next = await api(fen);
    await outcome(page, /^White wins$/);
    await expectItems(page, next);
    await page.keyboard.press("ArrowLeft");
    await expectItems(page, answer);
    assert.deepEqual(lookUps, [ROOK, fen]);
  }));

test("moves are reached and played with keys alone, and axe finds no violation",
  () => withBoard(ROOK, async (page) => {
    const answer = await api(ROOK);
    await expectItems(page, answer);
    await page.evaluate(axe.source);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate(async (tags) => {
        const panel = document.querySelector(".explore-panel");
        const { violations } = await window.axe.run(panel, { runOnly: tags });
        return violations.map(({ id, nodes }) => `${id} ${nodes.map(({ target }) => target)}`);
      }, ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
      assert.deepEqual(found, [], colorScheme);
    }
    const focused = () => page.evaluate(() => document.activeElement?.dataset.move);
    for (let presses = 0; presses < 80 && (await focused()) === undefined; presses++) {
      await page.keyboard.press("Tab");
    }
    assert.equal(await focused(), answer.moves[0].uci);
    await page.keyboard.press("End");
    assert.equal(await focused(), answer.moves.at(-1).uci);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), answer.moves[1].uci);
    const { san, dtz } = answer.moves[1];
    const name = await page.evaluate(() => document.activeElement.textContent);
    assert.equal(name, `${san}, Win, distance ${-dtz}`);
    // Space plays the row, not the engine's best move.
    for (const key of ["Enter", " "]) {
      await page.keyboard.press(key);
      const next = await api("8/8/8/8/8/2k5/7R/7K b - - 1 1");
      await expectItems(page, next);
      assert.equal(await focused(), next.moves[0].uci);
      await page.keyboard.press("ArrowLeft");
      await expectItems(page, answer);
      await page.keyboard.press("ArrowDown");
    }
  }));

test("mates, captures and the 50-move rule are named", () => {
  const mate = "7k/5K2/6R1/8/8/8/8/8 w - - 0 1";
  return withBoard(mate, async (page) => {
    await part(page).locator(".distance", { hasText: /^mate in one move$/ }).waitFor();
    await expectItems(page, await api(mate));
    await rows(page).filter({ hasText: "Rh6#" }).filter({ hasText: "mate" }).click();
    await outcome(page, /^Checkmate: White wins$/);
    assert.equal(await rows(page).count(), 0);
    const capture = "8/8/8/8/8/2k5/1R6/7K b - - 0 1";
    await show(page, capture);
    await outcome(page, /^Draw$/);
    assert.equal(await part(page).locator(".distance").count(), 0);
    await expectItems(page, await api(capture));
    const late = "8/8/8/8/8/2k5/1R6/7K w - - 90 80";
    await show(page, late);
    await outcome(page, /^Win for White, but a draw by the 50-move rule$/);
    await expectItems(page, await api(late));
    await page.setViewportSize({ width: 320, height: 640 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  });
});

test("nothing is requested while the panel is closed, or for positions of no table", () =>
  withBoard(ROOK, async (page, lookUps) => {
    await page.getByText("The engine is paused.").waitFor();
    assert.deepEqual(lookUps, []);
    await openPanel(page);
    await outcome(page, /^White wins$/);
    for (const fen of ["8/8/8/8/8/2k5/1R1R4/7K w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]) {
      await show(page, fen);
      await part(page).waitFor({ state: "detached" });
      await page.locator(".explore-panel[aria-busy=false]").waitFor();
    }
    assert.deepEqual(lookUps, [ROOK]);
  }, { open: false }));

test("a missing table is a calm sentence, and a server without tables shows nothing", () =>
  withBoard("8/8/8/8/8/2k5/7P/7K w - - 0 1", async (page) => {
    await part(page).getByText(/KPvK/).waitFor();
    assert.equal(await part(page).getByRole("alert").count(), 0);
    assert.equal(await rows(page).count(), 0);
    const problems = [[404, "no_tablebase"], [422, "tablebase_unavailable"]];
    for (const [index, [status, code]] of problems.entries()) {
      await page.route("**/v1/tablebase", (route) => route.fulfill({
        status, contentType: "application/problem+json",
        body: JSON.stringify({ title: "No", status, code, reason: "too_many_men", detail: "no" }),
      }));
      await show(page, ROOK.replace("0 1", `0 ${index + 2}`));
      await part(page).waitFor({ state: "detached" });
      assert.equal(await page.locator(".explore-note").count(), 0);
      await page.unroute("**/v1/tablebase");
      await show(page, ROOK.replace("0 1", `0 ${index + 10}`));
      await outcome(page, /^White wins$/);
    }
  }, { allowed: /status of (404|422)/ }));

test("a busy server is named with the wait, and the outcome comes after it", () =>
  withBoard(ROOK, async (page) => {
    await page.route("**/v1/tablebase", (route) => route.fulfill({
      status: 503, contentType: "application/problem+json",
      body: JSON.stringify({
        title: "Busy", status: 503, code: "queue_full", retry_after_ms: 1_500,
      }),
    }), { times: 1 });
    await openPanel(page);
    await part(page).getByRole("alert").getByText("The server is busy. The next try is in 2 s.")
      .waitFor();
    await outcome(page, /^White wins$/);
  }, { open: false, allowed: /status of 503/ }));
