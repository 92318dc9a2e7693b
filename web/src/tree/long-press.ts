/** A press of a finger that stays, which opens what the right mouse button opens. */

const PRESS_MS = 500;

/** A finger that moves by so many pixels scrolls. */
const MOVED_PX = 10;

export function onLongPress(element: HTMLElement, run: (event: PointerEvent) => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start: PointerEvent | null = null;
  let swallow = new AbortController();
  const cancel = () => {
    clearTimeout(timer);
    start = null;
  };
  element.addEventListener("pointerdown", (event) => {
    cancel();
    // Some presses have no click at their end.
    swallow.abort();
    if (event.pointerType !== "touch") return;
    start = event;
    timer = setTimeout(() => {
      // The click at the end of the press would close what it opens.
      swallow = new AbortController();
      element.addEventListener("click", (click) => {
        click.preventDefault();
        click.stopPropagation();
      }, { capture: true, once: true, signal: swallow.signal });
      run(event);
    }, PRESS_MS);
  });
  element.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (!start) return;
    const moved = Math.hypot(clientX - start.clientX, clientY - start.clientY);
    if (moved > MOVED_PX) cancel();
  });
  for (const type of ["pointerup", "pointercancel", "contextmenu"]) {
    element.addEventListener(type, cancel);
  }
}
