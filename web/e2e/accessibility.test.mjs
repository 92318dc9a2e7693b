/** The page for people who see little, nothing, or use no mouse: axe, names, focus, widths. */
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { boardPage, click, expectLines, expectMoves } from "./browser.mjs";
import { gameMenu, openGame, paste } from "./games.mjs";
import { keepReview, newRecord } from "./reviewed-game.mjs";

const page = boardPage({ allowed: [/status of 422/] });
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

const button = (name) => page().getByRole("button", { name, exact: true });
const dialog = (name) => page().getByRole("dialog", { name });
const type = async (...moves) => {
  await page().getByLabel("Move", { exact: true }).focus();
  for (const move of moves) {
    await page().keyboard.type(move);
    await page().keyboard.press("Enter");
  }
};

/** What each view is called, and how to come to it from the start. */
const VIEWS = {
  "the start": async () => {},
  "a game with a variation": async () => {
    await type("e4", "e5", "Nf3");
    await page().keyboard.press("Escape");
    for (const key of ["ArrowLeft", "ArrowLeft"]) await page().keyboard.press(key);
    await type("c5");
    await page().locator(".pv-move").first().waitFor();
  },
  "a chosen piece": async () => {
    for (const key of ["b", "Enter", "ArrowUp"]) await page().keyboard.press(key);
  },
  "a typed move that is none": async () => {
    await type("Nf9");
    await page().locator(".board-message.error").waitFor();
  },
  "the end of a game": async () => {
    await type("f3", "e5", "g4", "Qh4");
    await page().locator(".board-message", { hasText: "The game is over" }).waitFor();
  },
  "the choice of a promotion": async () => {
    await type("a4", "b5", "axb5", "a6", "bxa6", "Bb7", "axb7", "h6");
    await page().getByRole("gridcell", { name: "b7, white pawn" }).focus();
    for (const key of ["Enter", "ArrowUp", "ArrowLeft", "Enter"]) await page().keyboard.press(key);
    await dialog("Promote to").waitFor();
  },
  "a fork": async () => {
    await openGame(page(), "1. e4 (1. d4) (1. c4) 1... e5");
    await page().locator(".fork").waitFor();
  },
  "the menu “Game”": async () => {
    await button("Game").click();
    await page().getByRole("menuitem", { name: "Copy FEN" }).waitFor();
  },
  "the menu of a move": async () => {
    await type("e4");
    await page().keyboard.press("Escape");
    await page().keyboard.press("Shift+F10");
    await page().getByRole("menu", { name: /^Menu of/ }).waitFor();
  },
  "the values of the pieces": async () => {
    await openPanel("Explore");
    await page().keyboard.press("v");
    await page().locator(".piece-values").waitFor();
  },
  "a review with results": reviewGame,
  "the practice of mistakes": async () => {
    await reviewGame();
    await button("Practise White").click();
    await page().getByRole("region", { name: "Practice" }).waitFor();
  },
  "the dialog for a game": async () => {
    await paste(page(), "1. e4 e5 2. Ke3 Nc6");
    await dialog("Paste PGN or FEN").getByText("2. Ke3 is not a legal move").waitFor();
  },
  "the list of games": async () => {
    await paste(page(), '[White "Ann"]\n\n1. e4 *\n\n[White "Ben"]\n\n1. Ke3 *\n\n');
    await dialog("Choose a game").getByText("1 has errors").waitFor();
  },
  "the tags": async () => {
    await gameMenu(page(), /^Edit tags/);
    await dialog("Tags").waitFor();
  },
  "the details of the server": async () => {
    await expectLines(page(), "1\\.");
    await button("Server").click();
    await dialog("Server").getByRole("row", { name: /^Version/ }).waitFor();
  },
  Explore: async () => openPanel("Explore"),
  Review: async () => openPanel("Review"),
  Inspect: async () => openPanel("Inspect"),
  Settings: async () => {
    await button("Settings").click();
    await dialog("Settings").waitFor();
  },
  Help: async () => {
    await button("Help").click();
    await dialog("Help").waitFor();
  },
  "the setup editor": async () => {
    await button("Set up").click();
    await dialog("Set up position").getByText("The position is legal.").waitFor();
  },
  "the setup editor with errors": async () => {
    await button("Set up").click();
    await dialog("Set up position").getByLabel("FEN")
      .fill("4k3/8/8/8/8/8/8/1RR5 x FCkq e9 -1 0");
    await dialog("Set up position").getByText(/errors, see/).waitFor();
  },
};

/** A game with a blunder, which is reviewed fast. */
async function reviewGame() {
  await keepReview(page(), newRecord({ moves: ["f2f3", "e7e5", "g2g4", "d8h4"] }));
  await page().locator(".players .strong", { hasText: "%" }).first().waitFor({ timeout: 150_000 });
}

async function openPanel(name) {
  await button(name).click();
  await page().getByRole("region", { name }).waitFor();
  await page().getByText("Loading…").waitFor({ state: "detached" });
}

/** The rules that depend on colours. Nothing else differs between light and dark. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** What axe finds on the page or in a part of it. */
async function violations({ part = "html", rules } = {}) {
  if (!(await page().evaluate(() => "axe" in window))) await page().evaluate(axe.source);
  const runOnly = rules ? { type: "rule", values: rules } : { type: "tag", values: TAGS };
  // Descriptions of all that is right would take most of the time.
  const options = { runOnly, resultTypes: ["violations"] };
  const { violations: found, passes } = await page().evaluate(
    ([root, how]) => window.axe.run(root === "html" ? document : root, how), [part, options],
  );
  assert.ok(passes.some(({ id }) => id === "color-contrast"), "axe has checked nothing");
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`));
}

async function expectNoViolation(name, part) {
  await page().emulateMedia({ colorScheme: "light" });
  assert.deepEqual(await violations({ part }), [], `${name}, light`);
  await page().emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await violations({ part, rules: COLOR_RULES }), [], `${name}, dark`);
}

for (const [name, open] of Object.entries(VIEWS)) {
  test(`axe finds no violation in light and dark: ${name}`, async () => {
    await open();
    await expectNoViolation(name);
  });
}

test("axe finds no violation on any form of Inspect, in light and dark", async () => {
  await type("e4", "d5", "exd5", "Qxd5", "Nc3", "Qe5");
  await openPanel("Inspect");
  await button("Pause").click();
  const forms = await page().getByRole("tab").allInnerTexts();
  assert.equal(forms.length, 16);
  for (const form of forms) {
    await page().getByRole("tab", { name: form, exact: true }).click();
    await page().locator(".inspect-form .values[aria-busy=false]").waitFor();
    await page().waitForFunction(() => {
      const hints = [...document.querySelectorAll(".inspect-form .hint")];
      return !document.querySelector(".inspect-form [aria-busy=true]") &&
        !hints.some(({ textContent }) => textContent === "Loading…");
    });
    // The first value is chosen, so that what a choice adds is there, too.
    await page().locator(".inspect-form [role=option]").first().click();
    await expectNoViolation(form, ".tool.inspect");
  }
});

test("axe finds no violation on the other boards", async () => {
  await button("Settings").click();
  for (const name of ["Brown", "Blue", "Grey"]) {
    await dialog("Settings").getByLabel(name, { exact: true }).check();
    assert.deepEqual(await violations({ rules: COLOR_RULES }), [], name);
  }
});

test("a screen reader finds the board as 64 named squares", async () => {
  const tree = await page().getByRole("grid", { name: "Board" }).ariaSnapshot();
  const cells = [...tree.matchAll(/gridcell "([^"]+)"/g)].map(([, name]) => name);
  assert.equal(cells.length, 64);
  assert.deepEqual(cells.slice(0, 3), ["a8, black rook", "b8, black knight", "c8, black bishop"]);
  assert.deepEqual(cells.slice(32, 34), ["a4, empty", "b4, empty"]);
  assert.equal(cells.at(-4), "e1, white king");
  // The drawn board says the same once more and is hidden.
  assert.equal(await page().locator(".board > .cg-wrap[aria-hidden=true]").count(), 1);
});

test("a screen reader finds all parts of the page by their names", async () => {
  const tree = await page().locator("body").ariaSnapshot();
  for (const part of [
    'heading "kibitzer"', 'navigation "Documents"', "main", 'img "', 'grid "Board"',
    'toolbar "Moves"', 'textbox "Move"', 'region "Engine"', 'region "Moves"', 'toolbar "Panels"',
  ]) {
    assert.ok(tree.includes(part), `${part} in\n${tree}`);
  }
});

/** Notes what a screen reader is told. Returns a function that waits until a text was among it. */
async function hear() {
  await page().evaluate(() => {
    window.said = [];
    const line = document.querySelector("[data-announcement][aria-live=polite]");
    new MutationObserver(() => window.said.push(line.textContent))
      .observe(line, { subtree: true, childList: true, characterData: true });
  });
  return (pattern) => page().waitForFunction(
    (source) => window.said.some((text) => new RegExp(source, "i").test(text)), pattern.source,
  );
}

test("what a step on the squares leads to is said", async () => {
  const said = await hear();
  await page().keyboard.press("b");
  await page().keyboard.press("Enter");
  await said(/e2, white pawn\. It can go to e3 or e4\./);
  await page().keyboard.press("Escape");
  await type("Ke3");
  await said(/“Ke3” is not legal here\./);
});

test("every control shows the focus, and Tab comes to all and back", async () => {
  const names = new Set();
  let isBack = false;
  for (let presses = 0; presses < 80 && !isBack; presses += 1) {
    await page().keyboard.press("Tab");
    const { name, hasRing } = await page().evaluate(() => {
      const element = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const name = element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent;
      return { name, hasRing: outlineStyle !== "none" && outlineWidth !== "0px" };
    });
    isBack = await page().evaluate(() => document.activeElement === document.body);
    if (isBack) break;
    names.add(name);
    assert.ok(hasRing, `no focus ring: ${name}`);
  }
  for (const name of [
    "Set up", "Settings", "Help", "API reference", "e2, white pawn", "Flip the board (f)", "Move",
    "Number of lines", "Explore", "Review", "Inspect",
  ]) {
    assert.ok(names.has(name), `${name} is not among ${[...names].join(", ")}`);
  }
  assert.ok(isBack, "Tab leaves the page");
  await page().keyboard.press("Tab");
  const first = await page().evaluate(() => document.activeElement.textContent.trim());
  assert.equal(first, [...names][0].trim());
});

/** The names of the visible buttons and links. The arrow keys reach cut-off moves of lines. */
const seenControls = () => page().evaluate(() =>
  [...document.querySelectorAll("button:not(.pv-move), a")]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }))
    .map((control) => (control.ariaLabel ?? control.textContent).trim()));

for (const [width, height] of [[320, 640], [640, 400], [900, 700], [901, 700]]) {
  test(`at ${width} × ${height} nothing scrolls sideways and no control is lost`, async () => {
    await expectLines(page(), "1\\.");
    await type("e4", "e5");
    await expectLines(page(), "2\\.");
    const all = await seenControls();
    assert.ok(all.length > 15);
    await page().setViewportSize({ width, height });
    const overflow = () => page().evaluate(() => document.documentElement.scrollWidth);
    assert.equal(await overflow(), width);
    const seen = await seenControls();
    assert.deepEqual(all.filter((name) => !seen.includes(name)), [], "controls that are lost");
    const controls = page().getByRole("button").or(page().getByRole("link"))
      .and(page().locator(":not(.pv-move)"));
    for (const control of await controls.all()) {
      if (!(await control.isVisible())) continue;
      const { x, width: own } = await control.boundingBox();
      assert.ok(x >= 0 && x + own <= width, await control.innerText());
    }
    for (const link of ["API reference", "Licences"]) {
      await page().getByRole("link", { name: link }).filter({ visible: true }).waitFor();
    }
    for (const name of ["Settings", "Help", "Set up"]) {
      await button(name).click();
      const open = page().getByRole("dialog");
      await open.waitFor();
      assert.equal(await overflow(), width, name);
      if (name === "Set up") {
        await open.getByLabel("FEN").fill("4k3/8/8/8/8/8/8/1RR1K1R1 w GC - -1 1");
        await open.getByText("it must be a whole number").first().waitFor();
      }
      const content = await open.evaluate((box) => [box.scrollWidth, box.clientWidth]);
      assert.ok(content[0] <= content[1], `${name} scrolls sideways: ${content}`);
      await page().keyboard.press("Escape");
      await open.waitFor({ state: "detached" });
    }
  });
}

test("in one column the board stays in view and hides nothing that has the focus", async () => {
  await page().setViewportSize({ width: 640, height: 400 });
  for (const name of ["Inspect", "Explore", "Pause"]) {
    await button(name).focus();
    const [board, control] = [
      await page().locator(".page > .board").boundingBox(), await button(name).boundingBox(),
    ];
    assert.ok(board.y >= 0 && board.y < 100, `the board is at ${board.y}`);
    assert.ok(control.y >= board.y + board.height, `${name} is behind the board`);
    assert.ok(control.y + control.height <= 400, `${name} is below the window`);
  }
});

test("forced colours keep the board, its pieces and the focus", async () => {
  await page().emulateMedia({ forcedColors: "active" });
  await click(page(), "e2", "e4");
  await expectMoves(page(), "e4");
  const shown = await page().evaluate(() => ({
    board: getComputedStyle(document.querySelector("cg-board")).backgroundImage,
    piece: getComputedStyle(document.querySelector("cg-board piece")).backgroundImage,
    last: getComputedStyle(document.querySelector("cg-board .last-move")).backgroundColor,
  }));
  assert.match(shown.board, /conic-gradient/);
  assert.match(shown.piece, /url/);
  // A mark must let the square show through.
  assert.match(shown.last, /0\.5\)|50%/);
  await page().keyboard.press("b");
  const ring = await page().evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(ring, "solid");
});

test("a move, its evaluation and the end of a game are said", async () => {
  const said = await hear();
  await type("f3");
  await said(/f3/);
  await said(/evaluation|ahead|equal|better|pawns?\b|\d\.\d/);
  await type("e5", "g4", "Qh4");
  await said(/checkmate|black wins/);
});
