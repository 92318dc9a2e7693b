/** The panel “Inspect” with refusals, old servers and many steps. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { page, position, play, open, list, value } from "./inspect-steps.mjs";
import { until } from "./own-server.mjs";

test("a server without the newer views is named where they would stand", async () => {
  await page().route("**/v1/position", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    delete answer.views.zobrist;
    delete answer.views.magics;
    await route.fulfill({ response, json: answer });
  });
  await open("Zobrist key");
  await page().getByText("This server does not list the numbers of the key.").waitFor();
  await open("Magic bitboards");
  await page().getByText("This server does not show its magic bitboards.").waitFor();
});

test("running through a game sends few requests, and going back sends none", async () => {
  const moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"];
  await play(...moves);
  await open("FEN");
  const showsFen = (fen) =>
    page().locator(".copyable code", { hasText: fen }).first().waitFor();
  const sent = [];
  page().on("request", (request) => {
    if (request.url().endsWith("/v1/position")) sent.push(request.postDataJSON());
  });
  const first = (await position()).fen;
  await page().evaluate(() => {
    for (let step = 0; step < 6; step++) {
      const press = new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true });
      document.body.dispatchEvent(press);
    }
  });
  await showsFen(first);
  assert.ok(sent.length <= 2, `${sent.length} requests`);
  const count = sent.length;
  await page().keyboard.press("End");
  await showsFen((await position(...moves)).fen);
  await page().keyboard.press("Home");
  await showsFen(first);
  assert.equal(sent.length, count);
});

test("a refusal for good is a sentence, and a press on “Try again” tries again", async () => {
  let refusals = 2;
  await page().route("**/v1/position", (route) => {
    if (refusals-- <= 0) return route.continue();
    return route.fulfill({
      status: 422, contentType: "application/problem+json",
      body: JSON.stringify({
        title: "Invalid FEN", status: 422, code: "invalid_fen", detail: "the position is odd",
      }),
    });
  });
  await page().getByRole("button", { name: "Inspect" }).click();
  const alert = page().getByRole("alert").filter({ hasText: "The position is odd." });
  await alert.waitFor();
  await page().getByRole("button", { name: "Try again" }).click();
  await until(() => refusals === 0, "the second refusal");
  await alert.waitFor();
  await page().getByRole("button", { name: "Try again" }).click();
  await list("Bitboards").waitFor();
  assert.equal(await alert.count(), 0);
});

test("after a refusal that passes, the page tries again by itself", async () => {
  const refusals = [
    { status: 429, code: "rate_limited", retry_after_ms: 800 },
    { status: 503, code: "queue_full" },
  ];
  await page().route("**/v1/position", (route) => {
    const refusal = refusals.shift();
    if (!refusal) return route.continue();
    return route.fulfill({
      status: refusal.status, contentType: "application/problem+json",
      body: JSON.stringify({ title: "Refused", detail: "says the server", ...refusal }),
    });
  });
  await page().getByRole("button", { name: "Inspect" }).click();
  for (const text of [
    "The server allows no more requests for now. The next try is in 1 s.",
    "The server is busy. The next try is in",
  ]) {
    await page().getByText(text).waitFor();
  }
  await list("Bitboards").waitFor();
});

test("without an answer the panel says so, keeps what it shows and tries again", async () => {
  await open("FEN");
  await page().route("**/v1/position", (route) => route.abort());
  await play("e2e4");
  const alert = page().getByRole("alert").filter({ hasText: "The server cannot be reached." });
  await alert.waitFor();
  assert.match(await value("FEN"), /^rnbqkbnr/);
  // Back to a position that is known.
  await page().keyboard.press("ArrowLeft");
  await alert.waitFor({ state: "detached" });
  await page().keyboard.press("ArrowRight");
  await alert.waitFor();
  await page().unroute("**/v1/position");
  await page().getByRole("button", { name: "Try again" }).click();
  await page().locator(".copyable code", { hasText: (await position("e4")).fen }).waitFor();
});

test("a game whose moves the server refuses is shown without them", async () => {
  await page().route("**/v1/position", (route) => {
    if (!route.request().postDataJSON().moves.length) return route.continue();
    return route.fulfill({
      status: 422, contentType: "application/problem+json",
      body: JSON.stringify({ title: "Illegal move", status: 422, code: "illegal_move" }),
    });
  });
  await play("e2e4");
  await open("FEN");
  await page().getByText("The server refused the moves up to here").waitFor();
  assert.match(await value("FEN"), /^rnbqkbnr\/pppppppp\/8\/8\/4P3/);
});
