/** What survives: reloads, a second tab, links, and storage that is full, forbidden or odd. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage, serveFiles } from "./browser.mjs";
import { expectListed, gameMenu, openGame } from "./games.mjs";

const page = boardPage();
const { BOARD_URL } = process.env;
const open = async (address, on = page()) => {
  await on.goto(new URL(address, BOARD_URL).href);
  await on.locator("cg-board piece").first().waitFor();
};
const reload = async () => {
  await page().reload();
  await page().locator("cg-board piece").first().waitFor();
};
const toast = (text) => page().locator(".toast", { hasText: text }).waitFor();
const isFlipped = () => page().locator(".cg-wrap.orientation-black").waitFor();
const copyLink = async () => {
  await page().context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await gameMenu(page(), "Copy link to the analysis");
  await toast("The link to the whole analysis was copied.");
  return page().evaluate(() => navigator.clipboard.readText());
};

test("tree, shown move and orientation survive a reload", async () => {
  await openGame(page(), "1. e4 {Best} (1. d4 d5) 1... e5");
  await page().keyboard.press("ArrowRight");
  // The key of `f` on a Cyrillic keyboard.
  await page().evaluate(() => document.body.dispatchEvent(
    new KeyboardEvent("keydown", { key: "а", code: "KeyF", bubbles: true }),
  ));
  await isFlipped();
  await reload();
  await expectListed(page(), "[e4] d4 d5 e5");
  await page().getByText("Best").first().waitFor();
  await isFlipped();
});

test("two tabs keep their own trees, and a new tab begins with the latest", async () => {
  await openGame(page(), "1. e4 e5");
  const second = await page().context().newPage();
  await open("", second);
  await second.locator("body").waitFor();
  await openGame(second, "1. c4 c5");
  await expectListed(second, "c4 c5");
  await reload();
  await expectListed(page(), "e4 e5");
  await second.reload();
  await expectListed(second, "c4 c5");
  const third = await page().context().newPage();
  await open("", third);
  await expectListed(third, "c4 c5");
});

test("a link brings the tree to another browser, and an edit ends it", async () => {
  await openGame(page(), "1. e4 {Best} (1. d4 d5) 1... e5");
  await page().keyboard.press("ArrowRight");
  await page().keyboard.press("f");
  const link = await copyLink();
  assert.match(link, /\/#1\.[\w-]+$/);
  const context = await page().context().browser().newContext();
  await serveFiles(context);
  const other = await context.newPage();
  await open(link, other);
  await expectListed(other, "[e4] d4 d5 e5");
  await other.locator(".cg-wrap.orientation-black").waitFor();
  assert.ok(other.url().includes("#1."));
  await other.keyboard.press("1");
  await other.waitForFunction(() => location.hash === "");
  await other.reload();
  await expectListed(other, "[e4] d4 d5 e5");
  await other.getByRole("img", { name: "Good move" }).waitFor();
  await context.close();
});

test("a link opened over another tree can be undone", async () => {
  await openGame(page(), "1. e4 e5");
  const link = await copyLink();
  await openGame(page(), "1. c4 c5");
  await page().evaluate((hash) => { location.hash = hash; }, new URL(link).hash);
  await expectListed(page(), "e4 e5");
  await page().keyboard.press("Control+z");
  await expectListed(page(), "c4 c5");
});

test("broken links are a sentence and leave the tree", async () => {
  await openGame(page(), "1. e4 e5");
  const hash = new URL(await copyLink()).hash;
  const sentences = {
    [hash.slice(0, -6)]: "The link is damaged", "#9.abc": "The link is of version 9",
    "#nonsense": "is not a link of this board",
  };
  for (const [broken, sentence] of Object.entries(sentences)) {
    await page().evaluate((text) => { location.hash = text; }, broken);
    await toast(sentence);
    await expectListed(page(), "e4 e5");
  }
});

test("a FEN in the address is the start position, and a wrong one a sentence", async () => {
  await openGame(page(), "1. e4 e5");
  await open("?fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1");
  await expectListed(page(), "");
  assert.equal(await page().locator("cg-board piece").count(), 3);
  await page().keyboard.press("Control+z");
  await expectListed(page(), "e4 e5");
  await page().waitForFunction(() => location.search === "");
  await open("?fen=4k3/8/8/8/8/8/4P3/8+w+-+-+0+1");
  await toast("The position in the address is wrong: Each side needs exactly one king.");
  await expectListed(page(), "e4 e5");
  // A link to a form of a position opens both.
  await open("?fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1#inspect=fen");
  await page().getByRole("region", { name: "Inspect" }).waitFor();
  assert.equal(await page().locator("cg-board piece").count(), 3);
});

test("a link that would be too long says what it lacks", async () => {
  const noise = Array.from({ length: 12_000 }, (_, at) => ((at * 7919) % 36_991).toString(36))
    .join("");
  await openGame(page(), `1. e4 {${noise}} 1... e5`);
  const link = await copyLink();
  assert.ok(link.length <= 8_000);
  await toast("It is without the comments.");
});

test("what another version has kept is ignored with a note", async () => {
  await page().evaluate(() => {
    sessionStorage.clear();
    localStorage.setItem("kibitzer.tree", "0:{}");
    // The page must not keep its own tree when it goes.
    Storage.prototype.setItem = () => {};
  });
  await reload();
  await toast("kept by another version");
  await expectListed(page(), "");
});

test("full storage is said once, and the page goes on", async () => {
  await page().evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await openGame(page(), "1. e4 e5");
  await toast("The browser's storage is full.");
  await page().keyboard.press("ArrowRight");
  await expectListed(page(), "[e4] e5");
  assert.equal(await page().locator(".toast.error").count(), 1);
});

test("forbidden storage is said once, and the page works", async () => {
  await page().addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get() { throw new DOMException("denied", "SecurityError"); },
      });
    }
  });
  await reload();
  await toast("The browser forbids storage.");
  await openGame(page(), "1. e4 e5");
  await expectListed(page(), "e4 e5");
});
