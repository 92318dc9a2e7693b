/** Steps with the keyboard alone: no click, and no focus by a script. */
import assert from "node:assert/strict";

/** More stops than the page has with an open panel. */
const MAX_STOPS = 120;

export async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

/** Types into the element that has the focus, and presses Enter. */
export async function typeAndEnter(page, text) {
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

/** The name of the control that has the focus. */
const focusedName = (page) => page.evaluate(() => {
  const { ariaLabel, labels, textContent } = document.activeElement;
  if (document.activeElement === document.body) return "";
  return (ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim();
});

/** Presses a key until the control of this name has the focus. The name is text or a pattern. */
export async function goTo(page, key, name) {
  const isWanted = (found) => (name instanceof RegExp ? name.test(found) : name === found);
  for (let presses = 0; presses < MAX_STOPS; presses += 1) {
    const found = await focusedName(page);
    if (isWanted(found)) return found;
    await page.keyboard.press(key);
  }
  return assert.fail(`${key} does not come to “${name}”`);
}

export const tabTo = (page, name) => goTo(page, "Tab", name);
