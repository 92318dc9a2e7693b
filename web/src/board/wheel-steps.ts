/** The wheel over the board, which steps through the moves. */

/** A turn of this many pixels at once is a notch of a wheel, and one step. */
const NOTCH_PX = 50;

/** Smaller ones, as those of a trackpad, add up to a step. */
const STEP_PX = 80;

/** A turn after a longer rest begins anew. */
const REST_MS = 300;

/** The height of a line where the browser counts in lines. */
const LINE_PX = 20;
const PAGE_PX = 800;

type Turn = Pick<WheelEvent, "deltaY" | "deltaMode" | "timeStamp">;

/** A function from turns of the wheel to steps: −1 back, 1 forward, 0 not yet. */
export function createWheelSteps(): (turn: Turn) => -1 | 0 | 1 {
  let sum = 0;
  let last = -Infinity;
  return ({ deltaY, deltaMode, timeStamp }) => {
    const pixels = deltaY * ([1, LINE_PX, PAGE_PX][deltaMode] ?? 1);
    if (timeStamp - last > REST_MS || pixels * sum < 0) sum = 0;
    last = timeStamp;
    sum += pixels;
    if (Math.abs(pixels) < NOTCH_PX && Math.abs(sum) < STEP_PX) return 0;
    sum = 0;
    return pixels < 0 ? -1 : 1;
  };
}

/** Steps with the wheel over an element. Returns a function that ends this. */
export function stepByWheel(
  element: HTMLElement, steps: { back(): void; forward(): void },
): () => void {
  const stepOf = createWheelSteps();
  const onWheel = (event: WheelEvent) => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (isZoom || event.deltaY === 0 || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    // A piece or an arrow is being dragged.
    if (event.buttons !== 0) return;
    const step = stepOf(event);
    if (step < 0) steps.back();
    else if (step > 0) steps.forward();
  };
  element.addEventListener("wheel", onWheel, { passive: false });
  return () => element.removeEventListener("wheel", onWheel);
}
