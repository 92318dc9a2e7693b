/** The user's changes of the analysis of this position, with buttons that take them back. */
import { For, Show, type JSX } from "solid-js";
import { Icon } from "../ui/Icon";
import { sanText } from "../ui/san";
import type { Settings } from "../ui/settings";
import { scoreText } from "./protocol";
import type { Engine } from "./store";

interface Props {
  engine: Engine;
  notation: Settings["notation"];
}

export function Chips(props: Props) {
  const state = () => props.engine.state;
  const san = (text: string) => sanText(text, props.notation);
  const threatText = () => {
    const { threat } = state();
    const line = threat && props.engine.evaluation(threat.fen)?.lines[0];
    return line
      ? `Threat: ${san(line.pv_san[0]!)} (${scoreText(line.score)})` : "Threat: searching…";
  };
  const hideThreat = () => {
    const { threat } = state();
    if (threat) void props.engine.toggleThreat(threat.fen);
  };
  const word = () => (state().restriction?.kind === "only" ? "Only" : "Without");
  return (
    <Show when={(state().threat || state().restriction) && !state().isHidden}>
      <div class="chips">
        <Show when={state().threat}>
          <Chip name="Hide the threat" kind="threat" onRemove={hideThreat}>
            {threatText()}
          </Chip>
        </Show>
        <For each={state().restriction?.moves}>
          {(move) => (
            <Chip
              name={`Remove “${word()} ${move.san}”`}
              onRemove={() => props.engine.unrestrict(move)}
            >{word()} {san(move.san)}</Chip>
          )}
        </For>
      </div>
    </Show>
  );
}

interface ChipProps {
  kind?: string;
  /** The name of the button. */
  name: string;
  onRemove(): void;
  children: JSX.Element;
}

function Chip(props: ChipProps) {
  return (
    <span class={`chip ${props.kind ?? ""}`}>
      <span>{props.children}</span>
      <button
        type="button" class="plain" aria-label={props.name} title={props.name}
        onClick={() => props.onRemove()}
      ><Icon name="close" /></button>
    </span>
  );
}
