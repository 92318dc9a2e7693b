/** A list that is drawn part by part, one in each frame: a position can have 218 moves. */
import { createEffect, createMemo, createSignal, onCleanup, untrack, type Accessor } from
  "solid-js";

/** The items of a part: about as many rows as the panel has place for. */
const PART = 10;

/**
 * The items that are drawn so far. While `mayGrow` is false, none are added, so that what is above
 * them comes first.
 */
export function createParts<Item>(
  items: Accessor<readonly Item[]>, mayGrow: Accessor<boolean> = () => true,
): Accessor<readonly Item[]> {
  const [count, setCount] = createSignal(0);
  const drawn = () => Math.max(count(), mayGrow() ? PART : 0);
  // After a shorter list, the next long one begins anew.
  createEffect(() => {
    const { length } = items();
    setCount((before) => Math.min(before, length));
  });
  createEffect(() => {
    if (!mayGrow() || drawn() >= items().length) return;
    let timer: ReturnType<typeof setTimeout>;
    // After the frame that shows the last part.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setCount(untrack(drawn) + PART));
    });
    onCleanup(() => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    });
  });
  return createMemo(() => items().slice(0, drawn()));
}
