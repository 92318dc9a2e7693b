/** The list of forms: tabs beside the form, or a selector above it where there is no room. */
import { For } from "solid-js";
import { FORMS, GROUPS } from "./forms";

interface Props {
  open: string;
  onOpen(id: string): void;
}

export function FormTabs(props: Props) {
  let list!: HTMLDivElement;
  const onKey = (event: KeyboardEvent) => {
    const at = FORMS.findIndex(({ id }) => id === props.open);
    const targets: Record<string, number> = {
      ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const form = FORMS.at(target % FORMS.length);
    if (!form) return;
    props.onOpen(form.id);
    list.querySelector<HTMLElement>(`[data-form="${form.id}"]`)?.focus();
  };
  return (
    <div
      class="form-tabs" role="tablist" aria-label="Forms" aria-orientation="vertical" ref={list}
      on:keydown={onKey}
      // The mouse leaves the focus where it is, so that the keys of the game go on working.
      on:mousedown={(event) => event.preventDefault()}
    >
      <For each={GROUPS}>
        {(group) => (
          <>
            <span class="group" role="presentation">{group}</span>
            <For each={FORMS.filter((form) => form.group === group)}>
              {({ id, name }) => (
                <button
                  type="button"
                  role="tab"
                  data-form={id}
                  aria-selected={props.open === id}
                  aria-controls="inspect-form"
                  tabindex={props.open === id ? 0 : -1}
                  onClick={() => props.onOpen(id)}
                >{name}</button>
              )}
            </For>
          </>
        )}
      </For>
    </div>
  );
}

export function FormSelect(props: Props) {
  return (
    <label class="form-select">
      Form
      <select value={props.open} onChange={(event) => props.onOpen(event.currentTarget.value)}>
        <For each={GROUPS}>
          {(group) => (
            <optgroup label={group}>
              <For each={FORMS.filter((form) => form.group === group)}>
                {({ id, name }) => <option value={id}>{name}</option>}
              </For>
            </optgroup>
          )}
        </For>
      </select>
    </label>
  );
}
