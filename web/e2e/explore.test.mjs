/** Openings, known moves and piece values, compared with the server's own answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as steps from "./browser.mjs";

// The browser complains about each refusal that these tests provoke.
const page = steps.boardPage({ allowed: [/responded with a status of (401|422|429|503)/] });

const NAJDORF = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6".split(" ");
const KNIGHTS = ["g1f3", "g8f6", "f3g1", "f6g8"];

async function play(...moves) {
  for (const move of moves) await steps.click(page(), move.slice(0, 2), move.slice(2));
}

async function api(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
  };
  const response = await fetch(new URL(path, process.env.BOARD_URL), options);
  assert.equal(response.status, 200, path);
  return response.json();
}

const explored = (...moves) => api(`/v1/explore?fen=startpos&moves=${moves.join(",")}`);

/** Puts a position into the server's memory. */
const search = (...moves) => api("/v1/best-move", { fen: "startpos", moves, nodes: 20_000 });

/** Tries a claim until it holds: the server searches known positions further when it is idle. */
async function eventually(claim) {
  for (const end = Date.now() + 15_000; ;) {
    try {
      return await claim();
    } catch (error) {
      if (Date.now() > end) throw error;
      await page().waitForTimeout(100);
    }
  }
}

const opening = () => page().locator(".opening-name");
const state = () => page().locator(".position-state");
const rows = () => page().locator(".known-move");
const open = async () => {
  await page().keyboard.press("e");
  await page().locator(".this-position").waitFor();
};

/** Pauses the engine, so that only the tests change the memory. */
const pause = async () => {
  await page().keyboard.press("l");
  await page().getByText("The engine is paused.").waitFor();
};

function scoreText({ type, value }, side) {
  const white = side === "white" ? value : -value;
  const sign = white < 0 ? "−" : type === "cp" && white > 0 ? "+" : "";
  return type === "mate" ? `#${sign}${Math.abs(white)}` : sign + (Math.abs(white) / 100).toFixed(2);
}

/** The rows of the known moves as the server's answer has them. */
const expectedRows = ({ moves, turn }) =>
  moves.filter(({ score }) => score !== null)
    .map(({ san, score, known, status }) =>
      [san, scoreText(score, turn), known?.depth ?? (status === "checkmate" ? "mate" : status)]
        .join(" "));

const shownRows = () => rows().evaluateAll((all) => all.map((row) =>
  [...row.querySelectorAll(":scope > :not(.only-read)")].slice(1, 4)
    .map((cell) => cell.textContent).join(" ").trim()));

test("the opening is named as the game goes, and the last name stays", async () => {
  const played = [];
  for (const move of NAJDORF) {
    played.push(move);
    await play(move);
    const { opening: named } = await explored(...played);
    await opening().filter({ hasText: `${named.eco} ${named.name}` }).waitFor();
  }
  await opening().filter({ hasText: /^B90 Sicilian Defense: Najdorf/ }).waitFor();
  await play("h2h3", "h7h5", "a2a4");
  await opening().filter({ hasText: /^B90 Sicilian Defense: Najdorf/ }).waitFor();
  await page().keyboard.press("Home");
  await opening().filter({ hasText: /^$/ }).waitFor({ state: "attached" });
});

test("a transposition has the name of its position", async () => {
  await play("g1f3", "c7c5", "e2e4");
  const { opening: named } = await explored("e2e4", "c7c5", "g1f3");
  await opening().filter({ hasText: `${named.eco} ${named.name}` }).waitFor();
  assert.match(named.name, /^Sicilian Defense/);
});

test("known moves are those of the server's memory, and a click plays one", async () => {
  await pause();
  await search("a2a3");
  await search("a2a3", "e7e5");
  await search("a2a3", "d7d5");
  await play("a2a3");
  await open();
  await eventually(async () => {
    await page().getByRole("button", { name: "Refresh" }).click();
    const answer = await explored("a2a3");
    const summary = `${scoreText(answer.known.score, answer.turn)} · depth ${answer.known.depth}`;
    assert.ok((await page().locator(".this-position").innerText()).includes(summary));
    const expected = expectedRows(answer);
    assert.ok(expected.length >= 2);
    assert.deepEqual(await shownRows(), expected);
    const unknown = answer.moves.filter(({ score }) => score === null).map(({ san }) => san);
    assert.deepEqual(await page().locator(".unknown-moves button").allInnerTexts(), unknown);
  });
  await page().getByText("Known only").click();
  assert.equal(await page().locator(".unknown-moves").count(), 0);
  await rows().filter({ hasText: /e5/ }).click();
  await steps.expectMoves(page(), "a3", "e5");
});

test("a known move shows the moves after it, and an arrow", async () => {
  await pause();
  await search("h2h3");
  await search("h2h3", "h7h6");
  await open();
  const first = rows().filter({ has: page().locator(".san", { hasText: /^h3$/ }) });
  await eventually(async () => {
    await page().getByRole("button", { name: "Refresh" }).click();
    await first.waitFor({ timeout: 1_000 });
  });
  const arrows = await page().locator(".cg-shapes line").count();
  await first.hover();
  await page().waitForFunction(
    (before) => document.querySelectorAll(".cg-shapes line").length > before, arrows,
  );
  await first.locator(".twisty").click();
  const reply = page().locator(".known-move[data-moves='h2h3 h7h6']");
  await reply.filter({ hasText: "h6" }).waitFor();
  assert.equal(await reply.getAttribute("aria-level"), "2");
  await reply.click();
  await steps.expectMoves(page(), "h3", "h6");
});

test("the end of a search is shown without a click", async () => {
  await play("b2b4", "h7h6");
  await open();
  await page().locator(".engine .details", { hasText: "search" }).waitFor();
  await pause();
  await eventually(async () => {
    assert.match(await page().locator(".this-position").innerText(), /· depth \d+ · /);
  });
});

test("known moves are played with keys alone", async () => {
  await pause();
  await search("g2g3");
  await search("g2g3", "g7g6");
  await search("g2g3", "g7g5");
  await page().keyboard.press("e");
  await page().locator(".this-position").waitFor();
  const press = (key) => page().keyboard.press(key);
  const isFocused = (selector) =>
    page().evaluate((text) => document.activeElement?.matches(text) ?? false, selector);
  const tabTo = async (selector) => {
    for (let presses = 0; presses < 80; presses++) {
      if (await isFocused(selector)) return;
      await press("Tab");
    }
    assert.fail(`no key reaches ${selector}`);
  };
  await rows().filter({ hasText: /g3/ }).waitFor();
  await tabTo(".known-move");
  const focusedMove = () => page().evaluate(() => document.activeElement.dataset.moves);
  await press("End");
  const last = await rows().last().getAttribute("data-moves");
  assert.equal(await focusedMove(), last);
  await press("Home");
  for (let row = await rows().count(); row > 0 && (await focusedMove()) !== "g2g3"; row--) {
    await press("ArrowDown");
  }
  await press("ArrowRight");
  await page().locator(".known-move[aria-expanded=true]").waitFor();
  await page().locator(".known-move[data-moves^='g2g3 ']").first().waitFor();
  await press("ArrowLeft");
  await page().locator(".known-move[aria-expanded=true]").waitFor({ state: "detached" });
  // Space plays the row, not the best move.
  await press(" ");
  await steps.expectMoves(page(), "g3");
  // The focus is at the best move of the next position.
  await rows().filter({ hasText: /g6|g5/ }).first().waitFor();
  await page().waitForFunction(() => document.activeElement?.matches("[data-row='0']"));
});

test("the value of each piece is that of the server", async () => {
  await play("d2d4", "d7d5");
  await page().keyboard.press("v");
  const evaluation = await api("/v1/evaluate", { fen: "startpos", moves: ["d4", "d5"] });
  const labels = page().locator(".piece-value text");
  await labels.first().waitFor();
  const label = ({ value }) => {
    const tenths = Math.round(value / 10);
    return (tenths < 0 ? "−" : tenths > 0 ? "+" : "") + (Math.abs(tenths) / 10).toFixed(1);
  };
  assert.deepEqual((await labels.allTextContents()).sort(), evaluation.pieces.map(label).sort());
  await open();
  const text = await page().locator(".static").innerText();
  assert.equal(text, `Static evaluation ${scoreText(evaluation.white_score, "white")} · network ` +
    `${evaluation.network} · bucket ${evaluation.bucket}`);
  await page().getByText("Values as a list").click();
  for (const { square, role, value } of evaluation.pieces) {
    const item = await page().locator(`.value-lists [data-square=${square}]`).innerText();
    const expected = `${role} ${square} ${scoreText({ type: "cp", value }, "white")}`;
    assert.equal(item.replace(/\s+/g, " ").toLowerCase(), expected);
  }
  await page().getByLabel("Piece values").uncheck();
  await labels.first().waitFor({ state: "detached" });
});

test("a check is named beside the values, which follow the position", async () => {
  await open();
  await page().getByLabel("Piece values").check();
  await page().locator(".piece-value").first().waitFor();
  await play("e2e4", "f7f5", "d1h5");
  await page().getByText("The side to move is in check.").waitFor();
  await page().keyboard.press("Home");
  await page().getByText("The side to move is in check.").waitFor({ state: "detached" });
});

test("a threefold repetition may be claimed, a fivefold one ends the game", async () => {
  await play(...KNIGHTS, ...KNIGHTS);
  await state().filter({
    hasText: /^Threefold repetition: the player to move may claim a draw\.$/,
  }).waitFor();
  await page().keyboard.press("ArrowLeft");
  await state().filter({ hasText: /^$/ }).waitFor({ state: "attached" });
  await page().keyboard.press("ArrowRight");
  await play(...KNIGHTS, ...KNIGHTS);
  await state().filter({ hasText: /^Draw by fivefold repetition\.$/ }).waitFor();
  await open();
  await play("e2e4");
  await state().filter({ hasText: /^The game was drawn before this position\.$/ }).waitFor();
  await page().getByText("Shown without the moves before this position.").waitFor();
});

test("all 218 moves of the position with the most moves are listed", async () => {
  const fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1_w_-_-_0_1";
  await page().goto(new URL(`/?fen=${fen}`, process.env.BOARD_URL).href);
  await open();
  await page().waitForFunction(() =>
    document.querySelectorAll(".known-move, .unknown-moves button").length === 218);
});

test("a mate has no moves to explore", async () => {
  await open();
  await play("f2f3", "e7e5", "g2g4", "d8h4");
  await page().getByText("The game is over here: there is no legal move.").waitFor();
});

test("refusals are shown with the wait, and the board works on", async () => {
  const problem = (status, code, detail) => ({
    status, contentType: "application/problem+json",
    body: JSON.stringify({
      title: "Refused", status, code, detail, ...(status === 422 ? {} : { retry_after_ms: 900 }),
    }),
  });
  const refusals = [
    [429, "rate_limited", "120 requests", "The server allows no more requests for now. The next"],
    [503, "queue_full", "8 explore requests", "The server is busy. The next try is in 1 s."],
    [401, "unauthorized", "the key is unknown", "The server needs a valid API key."],
    [422, "invalid_request", "the position is odd", "The position is odd."],
  ];
  await open();
  const note = page().locator(".explore-note");
  for (const [index, [status, code, detail, text]] of refusals.entries()) {
    const answer = problem(status, code, detail);
    await page().route("**/v1/explore?*", (route) => route.fulfill(answer));
    await play(NAJDORF[index]);
    await note.filter({ hasText: text }).waitFor();
    await page().unroute("**/v1/explore?*");
    await page().getByRole("button", { name: "Refresh" }).click();
    await note.waitFor({ state: "detached" });
  }
  await steps.expectMoves(page(), "e4", "c5", "Nf3", "d6");
});

test("the panel fits into 320 pixels", async () => {
  await page().setViewportSize({ width: 320, height: 640 });
  await open();
  await page().keyboard.press("v");
  await page().locator(".piece-value").first().waitFor();
  assert.equal(await page().evaluate(() => document.documentElement.scrollWidth), 320);
  const [own, inner] = await page().locator(".tool").evaluate((panel) =>
    [panel.scrollWidth, panel.clientWidth]);
  assert.equal(own, inner);
});
