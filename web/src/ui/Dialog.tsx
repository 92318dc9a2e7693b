/** A modal dialog with a title and a button that closes it. */
import { onCleanup, onMount, type JSX } from "solid-js";
import { Icon } from "./Icon";
import { Toasts } from "./toasts";
import "./dialog.css";

interface Props {
  title: string;
  /** A class for style sheets: `wide` for a dialog with columns. */
  class?: string;
  onClose(): void;
  children: JSX.Element;
}

export function Dialog(props: Props) {
  let dialog!: HTMLDialogElement;
  // The browser keeps the focus within a modal dialog and gives it back at the end. A button that
  // was pressed by mouse does not get it back, or the next Space would press it once more.
  onMount(() => {
    const opener = document.activeElement;
    if (opener instanceof HTMLElement && !opener.matches(":focus-visible")) opener.blur();
    dialog.showModal();
  });
  let isGone = false;
  /** Whether a press began outside of the dialog. A selection of text may end there. */
  let isOutside = false;
  /** Until the next frame, keys would go to what had the focus in the closed dialog. */
  const leave = () => {
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && dialog.contains(focused)) focused.blur();
  };
  onCleanup(() => {
    isGone = true;
    dialog.close();
    leave();
  });
  return (
    <dialog
      class={`dialog ${props.class ?? ""}`}
      ref={dialog}
      aria-label={props.title}
      onClose={() => {
        leave();
        if (!isGone) props.onClose();
      }}
      onPointerDown={({ target }) => { isOutside = target === dialog; }}
      onClick={({ target }) => isOutside && target === dialog && dialog.close()}
    >
      <div class="dialog-content">
        <header>
          <h2>{props.title}</h2>
          <button type="button" class="plain" aria-label="Close" onClick={() => dialog.close()}>
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
      <Toasts />
    </dialog>
  );
}
