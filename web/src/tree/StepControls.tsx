/** The buttons and keys that step through the tree and take edits back. */
import { Controls, type Control } from "../ui/Controls";
import { useShortcuts } from "../ui/shortcuts";
import type { TreeStore } from "./store";

interface Props {
  tree: TreeStore;
  onFlip(): void;
}

export function StepControls({ tree, onFlip }: Props) {
  useShortcuts([
    { keys: ["ArrowLeft", "k"], label: "Step back", group: "Moves", run: tree.back },
    { keys: ["ArrowRight", "j"], label: "Step forward", group: "Moves", run: tree.forward },
    { keys: ["ArrowUp", "Home", "0"], label: "Go to the start", group: "Moves", run: tree.start },
    { keys: ["ArrowDown", "End", "$"], label: "Go to the end", group: "Moves", run: tree.end },
    { keys: ["Ctrl+z"], label: "Undo the last edit", group: "Moves", run: tree.undo },
    { keys: ["Ctrl+y", "Ctrl+Shift+z"], label: "Redo it", group: "Moves", run: tree.redo },
    { keys: ["f"], label: "Flip the board", group: "Board", run: onFlip },
  ]);
  const isAtStart = () => tree.current().parent === null;
  const isAtEnd = () => tree.line().at(-1)?.id === tree.current().id;
  const controls: readonly Control[] = [
    { icon: "start", label: "Start (Home)", isDisabled: isAtStart, run: tree.start },
    { icon: "back", label: "Back (←)", repeats: true, isDisabled: isAtStart, run: tree.back },
    {
      icon: "forward", label: "Forward (→)", repeats: true, isDisabled: isAtEnd,
      run: tree.forward,
    },
    { icon: "end", label: "End", isDisabled: isAtEnd, run: tree.end },
    { icon: "undo", label: "Undo (Ctrl+Z)", isDisabled: () => !tree.canUndo(), run: tree.undo },
    { icon: "redo", label: "Redo (Ctrl+Y)", isDisabled: () => !tree.canRedo(), run: tree.redo },
    { icon: "flip", label: "Flip the board (f)", isDisabled: () => false, run: onFlip },
  ];
  return <Controls controls={controls} />;
}
