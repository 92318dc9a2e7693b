/** Parts of the page that are loaded when they are needed first. */
import { toast } from "./toasts";

/** Loads a part of the page. A later call tries again if this one fails. */
export type Load<Part> = () => Promise<Part>;

/** Loads a part and uses it. A toast says what could not be loaded, and why. */
export async function withPart<Part>(
  name: string, load: Load<Part>, use: (part: Part) => unknown,
): Promise<void> {
  const part = await load().catch((error: Error) => {
    toast(`${name} could not be loaded. ${error.message}`, "error");
    return null;
  });
  if (part !== null) await use(part);
}
