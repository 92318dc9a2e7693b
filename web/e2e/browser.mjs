/** Chromium, the page under test, and the steps that several tests share. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { after, afterEach, before, beforeEach } from "node:test";
import { chromium } from "playwright-core";

/**
 * The address of the server, and a folder whose files stand for the page that is built into it.
 * With the folder, a change of the page can be tested without compiling the program.
 */
const { BOARD_URL, BOARD_FILES, CHROMIUM } = process.env;

export function launch() {
  return chromium.launch({
    executablePath: CHROMIUM,
    // The tests must also run as root and without a network.
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
      // A page from BOARD_FILES has no address, so that its socket to a local one is refused.
      ...(BOARD_FILES ? ["--disable-features=LocalNetworkAccessChecks"] : []),
    ],
  });
}

/**
 * Lets tests answer requests, and answers those for the page and its files from BOARD_FILES, with
 * the server's headers.
 */
export async function serveFiles(context) {
  // Interception takes effect some time after the first route: a test's own may come too late.
  await context.route(/^intercept:/, (route) => route.abort());
  if (!BOARD_FILES) return;
  const types = { js: "text/javascript", css: "text/css", svg: "image/svg+xml", md: "text/plain" };
  await context.route(({ pathname }) => pathname === "/", async (route) => {
    try {
      const response = await route.fetch();
      await route.fulfill({ response, body: readFileSync(join(BOARD_FILES, "index.html")) });
    } catch {
      // The server is gone, or the test is over.
      await route.abort().catch(() => undefined);
    }
  });
  await context.route(({ pathname }) => pathname.startsWith("/assets/"), async (route) => {
    const { pathname } = new URL(route.request().url());
    const file = join(BOARD_FILES, pathname);
    const headers = {
      "content-type": types[pathname.split(".").at(-1)] ?? "application/octet-stream",
      ...(pathname.endsWith("/service-worker.js") ? { "service-worker-allowed": "/" } : {}),
    };
    if (existsSync(`${file}.gz`)) {
      await route.fulfill({ body: gunzipSync(readFileSync(`${file}.gz`)), headers });
    } else {
      await route.fulfill(
        existsSync(file) ? { body: readFileSync(file), headers } : { status: 404 },
      );
    }
  });
}

/**
 * Opens the board anew for each test of a file and returns a function for its page. A test fails
 * if the page writes an error or a warning to the console or sends a request to another host.
 * `allowed` are patterns of console texts that the tests of a file provoke.
 */
export function boardPage({
  path = "", viewport = { width: 1280, height: 800 }, allowed = [], hasTouch = false,
} = {}) {
  let browser;
  let page;
  let complaints;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());
  beforeEach(async () => {
    complaints = [];
    // A test opens the page anew and needs no copy of it.
    const context = await browser.newContext({
      viewport, serviceWorkers: "block", hasTouch, isMobile: hasTouch,
    });
    await serveFiles(context);
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on("console", (message) => {
      const text = message.text();
      const isBad = ["error", "warning"].includes(message.type()) &&
        !text.startsWith("Service Worker registration blocked");
      if (isBad && !allowed.some((pattern) => pattern.test(text))) complaints.push(text);
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      const { origin } = new URL(request.url());
      if (origin !== new URL(BOARD_URL).origin && origin !== "null") complaints.push(request.url());
    });
    await page.goto(new URL(path, BOARD_URL).href);
    await page.locator("cg-board piece").first().waitFor();
    // The keyboard board is among what is loaded after the first paint.
    await page.getByRole("grid", { name: "Board" }).waitFor();
  });
  afterEach(async () => {
    await page.context().close();
    assert.deepEqual(complaints, []);
  });
  return () => page;
}

/** Waits until the moves of the main line are these. */
export async function expectMoves(page, ...moves) {
  await page.waitForFunction(
    (text) =>
      [...document.querySelectorAll(".move:not(.other)")].map((move) => move.textContent)
        .join(" ") === text,
    moves.join(" "),
  );
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
    [...document.querySelectorAll(".move")]
      .map((move) => move.ariaCurrent + move.textContent).join();
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
  const line = page.locator(".line .pv").first();
  await line.filter({ hasText: new RegExp(`^${number} `) }).waitFor();
  return page.locator(".line:has(.pv-move)").allInnerTexts();
}
