/** A row of buttons with icons. */
import { For } from "solid-js";
import { Icon, type IconName } from "./Icon";

export interface Control {
  readonly icon: IconName;
  /** The name of the button, with its key in brackets. */
  readonly label: string;
  /** Whether it acts again and again while it is held down. */
  readonly repeats?: true;
  isDisabled(): boolean;
  run(): void;
}

export function Controls(props: { controls: readonly Control[] }) {
  return (
    <div class="controls" role="toolbar" aria-label="Moves">
      <For each={props.controls}>
        {({ icon, label, repeats, isDisabled, run }) => (
          <button
            type="button"
            aria-label={label}
            title={label}
            data-repeats={repeats}
            disabled={isDisabled()}
            onClick={run}
          >
            <Icon name={icon} />
          </button>
        )}
      </For>
    </div>
  );
}
