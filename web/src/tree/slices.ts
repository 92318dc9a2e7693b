/** Long work in slices, between which the page stays usable. */

/** A slice is shorter than the time between two pictures. */
const SLICE_MS = 10;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Takes all steps of a generator. `onPause` is called after each slice. */
export async function inSlices<Step, Result>(
  steps: Generator<Step, Result>,
  onPause: () => void = () => {},
  onStep: (step: Step) => void = () => {},
): Promise<Result> {
  for (let start = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    onStep(value);
    if (performance.now() - start < SLICE_MS) continue;
    await pause();
    onPause();
    start = performance.now();
  }
}
