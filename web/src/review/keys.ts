/** The keys to the mistakes. With Shift they go to those of the player at the bottom alone. */
import type { Color } from "chessops/types";
import { useShortcuts, type Shortcut } from "../ui/shortcuts";
import type { Filter } from "./navigation";

type Go = (direction: 1 | -1, filter: Filter) => void;

export function useMistakeKeys(go: Go, bottom: () => Color): void {
  const shortcut = (key: string, label: string, direction: 1 | -1): readonly Shortcut[] => [
    { keys: [key], label, group: "Moves", run: () => go(direction, {}) },
    {
      keys: [`Shift+${key}`], label: `${label} of the player at the bottom`, group: "Moves",
      run: () => go(direction, { color: bottom() }),
    },
  ];
  useShortcuts([
    ...shortcut("n", "Next mistake", 1),
    ...shortcut("p", "Previous mistake", -1),
  ]);
}
