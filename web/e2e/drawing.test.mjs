/** Arrows and circles of the user, by the right mouse button and by keyboard. */
import { test } from "node:test";
import { boardPage, click, expectMoves, middleOf } from "./browser.mjs";

const page = boardPage();

/** Whether a drawing is on the board, as chessground names it: `e2,e4,green` or `d4,red`. */
const isShown = ([name, isWanted]) =>
  isWanted === [...document.querySelectorAll(".board .cg-shapes [cgHash]")]
    .some((shape) => `,${shape.getAttribute("cgHash")},`.includes(`,${name},`));
const expectShapes = async (...names) => {
  for (const name of names) await page().waitForFunction(isShown, [name, true]);
};
const expectNoShape = (name) => page().waitForFunction(isShown, [name, false]);

/** Draws with the right mouse button. */
async function draw(from, to, color = "green") {
  await page().mouse.move(...(await middleOf(page(), from)));
  await page().mouse.down({ button: "right" });
  await page().mouse.move(...(await middleOf(page(), to)), { steps: 4 });
  await expectShapes(from === to ? `${from},${color}` : `${from},${to},${color}`);
  await page().mouse.up({ button: "right" });
}

test("drawings belong to the move where they were made", async () => {
  await draw("g1", "f3");
  await draw("d4", "d4");
  await expectShapes("g1,f3,green", "d4,green");
  await click(page(), "e2", "e4");
  await expectNoShape("g1,f3,green");
  await page().keyboard.press("ArrowLeft");
  await expectShapes("g1,f3,green", "d4,green");
});

test("each drawing is one edit", async () => {
  await draw("g1", "f3");
  await draw("b1", "c3");
  await page().keyboard.press("Control+z");
  await expectNoShape("b1,c3,green");
  await expectShapes("g1,f3,green");
  await page().keyboard.press("Control+y");
  await expectShapes("b1,c3,green");
});

test("modifier keys choose the colour", async () => {
  await page().keyboard.down("Shift");
  await draw("a1", "a3", "red");
  await page().keyboard.up("Shift");
  await page().keyboard.down("Alt");
  await draw("h1", "h3", "blue");
  await page().keyboard.up("Alt");
  await expectShapes("a1,a3,red", "h1,h3,blue");
});

test("a click on an empty square erases all, and undo brings them back", async () => {
  await draw("g1", "f3");
  await draw("b1", "c3");
  // To begin a move erases nothing.
  await page().mouse.click(...(await middleOf(page(), "e2")));
  await expectShapes("g1,f3,green", "b1,c3,green");
  await page().mouse.click(...(await middleOf(page(), "e5")));
  await page().mouse.click(...(await middleOf(page(), "e6")));
  await expectNoShape("g1,f3,green");
  await page().locator(".board-message", { hasText: "The drawings are erased." }).waitFor();
  await page().keyboard.press("Control+z");
  await expectShapes("g1,f3,green", "b1,c3,green");
});

test("the keyboard draws arrows and circles in four colours", async () => {
  const press = async (keys) => {
    for (const key of keys.split(" ")) await page().keyboard.press(key);
  };
  await press("b d ArrowUp ArrowUp 2");
  await expectShapes("e2,e4,red");
  await press("d Enter");
  await expectShapes("e4,green");
  await press("d ArrowLeft 3 d ArrowUp 4");
  await expectShapes("e4,d4,blue", "d4,d5,yellow");
  // The same once more takes it away, and Escape cancels.
  await press("ArrowDown d ArrowUp 4");
  await expectNoShape("d4,d5,yellow");
  await press("d ArrowUp Escape");
  await expectNoShape("d5,d6");
  await press("Delete");
  await expectNoShape("e2,e4,red");
  await expectMoves(page());
});
