/** The line under the board: what the user's last step led to, such as a move that is not legal. */
import { createSignal } from "solid-js";
import { announce } from "../ui/toasts";

interface BoardMessage {
  readonly text: string;
  readonly kind: "hint" | "error";
}

const [boardMessage, setBoardMessage] = createSignal<BoardMessage | null>(null);

export { boardMessage };

/** Shows a message under the board and lets a screen reader say it. */
export function tell(text: string, kind: BoardMessage["kind"] = "hint"): void {
  setBoardMessage({ text, kind });
  announce(text);
}

export const clearMessage = () => setBoardMessage(null);
