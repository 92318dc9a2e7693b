/** The dialog of the settings. Each one takes effect at once. */
import { For } from "solid-js";
import { Dialog } from "./Dialog";
import { isMotionReduced } from "./motion";
import { PieceSample } from "./PieceSample";
import type { PieceSet } from "./pieces";
import { CHOICES, type SettingName, type Settings, type SettingsStore } from "./settings";
import "./settings.css";

/** Settings with more than two values, or whose values have names. */
const GROUPS = {
  theme: {
    label: "Colours of the page",
    names: { system: "As the system", light: "Light", dark: "Dark" },
  },
  boardTheme: {
    label: "Board", names: { green: "Green", brown: "Brown", blue: "Blue", grey: "Grey" },
  },
  pieces: {
    label: "Pieces",
    names: { classic: "Classic", flat: "Flat", shapes: "Shapes", letters: "Letters" },
  },
  notation: {
    label: "Pieces in moves", names: { letters: "Letters: Nf3", figurines: "Figurines: ♘f3" },
  },
} as const satisfies Partial<Record<SettingName, { label: string; names: Record<string, string> }>>;

const isDark = matchMedia("(prefers-color-scheme: dark)");

type GroupName = keyof typeof GROUPS;

const SWITCHES = [
  ["coordinates", "Coordinates on the board"],
  ["animation", "Moving pieces"],
  ["sounds", "Sounds"],
  ["bestMoveArrow", "Arrow for the best move"],
  ["lineArrows", "Arrows for all lines"],
] as const satisfies readonly (readonly [SettingName, string])[];

interface Props {
  settings: Settings;
  onSet: SettingsStore["set"];
  onClose(): void;
}

export default function SettingsDialog(props: Props) {
  const hint = (name: SettingName) =>
    name === "animation" && isMotionReduced() ? "Your system asks for no motion." : null;
  return (
    <Dialog title="Settings" onClose={props.onClose}>
      <div class="settings">
        <For each={Object.keys(GROUPS) as GroupName[]}>
          {(name) => (
            <Choice name={name} value={props.settings[name]} onSet={(value) =>
              props.onSet(name, value as never)} />
          )}
        </For>
        <fieldset class="switches">
          <legend>Show and play</legend>
          <For each={SWITCHES}>
            {([name, label]) => (
              <label>
                <input
                  type="checkbox"
                  checked={props.settings[name] === "on"}
                  onChange={(event) =>
                    props.onSet(name, event.currentTarget.checked ? "on" : "off")}
                />
                <span>{label} <small>{hint(name)}</small></span>
              </label>
            )}
          </For>
        </fieldset>
        <p class="hint">Settings are kept in this browser.</p>
      </div>
    </Dialog>
  );
}

function Choice(props: { name: GroupName; value: string; onSet(value: string): void }) {
  const { label, names } = GROUPS[props.name];
  return (
    <fieldset class={`choice ${props.name}`}>
      <legend>{label}</legend>
      <For each={CHOICES[props.name]}>
        {(value: string) => (
          <label>
            <input
              type="radio"
              name={props.name}
              value={value}
              checked={props.value === value}
              onChange={() => props.onSet(value)}
            />
            {props.name === "boardTheme" && <span class="swatch" data-board={value} />}
            {props.name === "pieces" && <PieceSample set={value as PieceSet} />}
            <span>{(names as Record<string, string>)[value]}</span>
          </label>
        )}
      </For>
      {props.name === "theme" &&
        <small>Your system is {isDark.matches ? "dark" : "light"} now.</small>}
    </fieldset>
  );
}
