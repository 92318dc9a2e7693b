/** The help: how to begin, and all keys that work now. */
import { For } from "solid-js";
import { Dialog } from "./Dialog";
import { Links } from "./Header";
import { Legend } from "./Legend";
import { shortcuts, type Shortcut } from "./shortcuts";
import "./help.css";

const GROUPS: readonly Shortcut["group"][] = ["Moves", "Board", "Engine", "Panels", "Page"];

const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space",
};

/** A key as keyboards show it: `Ctrl+z` is `Ctrl+Z`. */
function shownKey(key: string): string {
  const parts = key === "+" ? [key] : key.split("+");
  const last = parts.pop() ?? "";
  const isCommand = parts.length > 0 && last.length === 1;
  return [...parts, NAMES[last] ?? (isCommand ? last.toUpperCase() : last)].join("+");
}

export default function HelpDialog(props: { onClose(): void }) {
  const groups = () =>
    GROUPS.map((name) => ({ name, all: shortcuts().filter(({ group }) => group === name) }))
      .filter(({ all }) => all.length > 0);
  return (
    <Dialog title="Help" onClose={props.onClose}>
      <div class="help">
        <h3>How to begin</h3>
        <ul>
          <li>Play a move: drag a piece, click it and then its target, or type it after{" "}
            <kbd>m</kbd>.</li>
          <li>The engine shows the evaluation of each position and its best lines. A click on a
            move of a line plays the line up to it.</li>
          <li>Step through the moves with <kbd>←</kbd> and <kbd>→</kbd>, with the wheel over the
            board, or with the buttons below it; a button that is held down repeats.</li>
          <li>Another move at a place where one was played begins a variation. Each edit can be
            undone.</li>
          <li>“Set up” puts any position on the board.</li>
          <li>The right mouse button draws: a click makes a circle, a drag an arrow. Shift makes
            it red, Alt blue, both together yellow. The same once more erases it.</li>
        </ul>
        <Legend />
        <h3>The board without a mouse</h3>
        <p>
          <kbd>b</kbd> goes to the squares, and arrow keys from square to square.{" "}
          <kbd>Enter</kbd> or <kbd>Space</kbd> chooses a piece and then its target.{" "}
          <kbd>Escape</kbd> cancels. <kbd>d</kbd> starts an arrow at a square; <kbd>Enter</kbd> or
          {" "}a colour from <kbd>1</kbd> to <kbd>4</kbd> ends it. <kbd>Delete</kbd> erases all
          drawings. On the squares, <kbd>k</kbd> and <kbd>j</kbd> step back and forward.
        </p>
        <div class="keys">
          <For each={groups()}>
            {({ name, all }) => (
              <section aria-label={`Keys: ${name}`}>
                <h3>{name}</h3>
                <dl>
                  <For each={all}>
                    {({ keys, label }) => (
                      <div>
                        <dt><For each={keys}>{(key) => <kbd>{shownKey(key)}</kbd>}</For></dt>
                        <dd>{label}</dd>
                      </div>
                    )}
                  </For>
                </dl>
              </section>
            )}
          </For>
        </div>
        <p class="help-links"><Links /></p>
      </div>
    </Dialog>
  );
}
