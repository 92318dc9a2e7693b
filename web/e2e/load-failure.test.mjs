/** Parts of the page whose files cannot be loaded: a sentence, and another try that works. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardPage, click } from "./browser.mjs";
import { expectListed, gameMenu, openGame } from "./games.mjs";

const page = boardPage({ allowed: [/Failed to load resource/] });
const NOT_REACHED = "could not be loaded. The server cannot be reached.";
const fileOf = (name) => `**/assets/${name}-*`;
/** Answers requests for files as a server that is gone, or with a status. */
const block = (name, status) => page().route(fileOf(name), (route) =>
  status ? route.fulfill({ status }) : route.abort());
const unblock = (name) => page().unroute(fileOf(name));
const toast = (text) => page().locator(".toast", { hasText: text }).first().waitFor();
const press = (key) => page().keyboard.press(key);
const tryAgain = () => page().getByRole("button", { name: "Try again" }).click();

test("a panel that cannot be loaded says so, and another try shows it", async () => {
  for (const [key, name, file] of [["i", "Inspect", "InspectPanel"], ["r", "Review", "views"]]) {
    await block(file);
    await press(key);
    const panel = page().getByRole("region", { name });
    await panel.getByRole("alert").getByText(`“${name}” ${NOT_REACHED}`).waitFor();
    await tryAgain();
    await panel.getByRole("alert").getByText(NOT_REACHED).waitFor();
    await unblock(file);
    await tryAgain();
    await panel.getByRole("alert").waitFor({ state: "detached" });
    await panel.getByText("Loading…").waitFor({ state: "detached" });
    assert.notEqual(await panel.innerText(), "");
  }
  // The file of the review also has the sentence about a move.
  await click(page(), "e2", "e4");
  await page().locator(".judgement-slot").getByText(/\w/).first().waitFor();
});

test("dialogs and commands that cannot be loaded say so, and work when chosen again", async () => {
  await page().context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const file of ["HelpDialog", "OpenDialog", "link", "pgn-write"]) await block(file);
  await press("?");
  await toast(`The dialog ${NOT_REACHED}`);
  await gameMenu(page(), /^Paste/);
  await gameMenu(page(), "Copy link to the analysis");
  await toast(`The code for links ${NOT_REACHED}`);
  await gameMenu(page(), "Download PGN");
  await toast(`The code for PGN ${NOT_REACHED}`);
  assert.equal(await page().getByRole("dialog").count(), 0);
  for (const file of ["HelpDialog", "OpenDialog", "link", "pgn-write"]) await unblock(file);
  await press("?");
  await page().getByRole("dialog", { name: "Help" }).waitFor();
  await press("Escape");
  await openGame(page(), "1. e4 e5");
  await gameMenu(page(), "Copy link to the analysis");
  await toast("The link to the whole analysis was copied.");
  await gameMenu(page(), "Copy PGN");
  await toast("The PGN was copied.");
});

test("a page that is older than the server's files is loaded anew, with its moves", async () => {
  await openGame(page(), "1. e4 e5");
  await block("ExplorePanel", 404);
  await press("e");
  await page().getByText("The server has another version of this page.").waitFor();
  await unblock("ExplorePanel");
  const loaded = page().waitForEvent("load");
  await page().getByRole("button", { name: "Reload the page" }).click();
  await loaded;
  await expectListed(page(), "e4 e5");
});

test("what follows the first paint arrives when the server is back", async () => {
  await block("extras");
  await page().reload();
  await click(page(), "e2", "e4");
  await page().locator(".move", { hasText: "e4" }).waitFor();
  await page().locator("#typed-move").fill("e5");
  await press("Enter");
  await page().getByText(`The code for typed moves ${NOT_REACHED}`).first().waitFor();
  assert.equal(await page().getByRole("grid", { name: "Board" }).count(), 0);
  await unblock("extras");
  await page().getByRole("grid", { name: "Board" }).waitFor();
  await page().locator("#typed-move").press("Enter");
  await page().locator(".move", { hasText: "e5" }).waitFor();
});

test("without its scripts the page says so in place of the board", async () => {
  await block("libraries");
  await page().reload();
  await page().getByText("The board could not be loaded in full.").waitFor();
  await unblock("libraries");
  await page().getByRole("link", { name: "Load it again" }).click();
  await page().getByRole("grid", { name: "Board" }).waitFor();
});
