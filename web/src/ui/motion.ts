/** The setting of the user's system for less motion, also when it changes. */
import { createSignal } from "solid-js";

const query = matchMedia("(prefers-reduced-motion: reduce)");
const [isMotionReduced, setMotionReduced] = createSignal(query.matches);
query.addEventListener("change", () => setMotionReduced(query.matches));

export { isMotionReduced };
