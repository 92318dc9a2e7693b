/** Whether the user's system asks for less motion, also when that changes. */
import { createSignal } from "solid-js";

const query = matchMedia("(prefers-reduced-motion: reduce)");
const [isMotionReduced, setMotionReduced] = createSignal(query.matches);
query.addEventListener("change", () => setMotionReduced(query.matches));

export { isMotionReduced };
