/** A modal dialog with a title and a button that closes it. */
import { onMount, type JSX } from "solid-js";
import { Icon } from "./Icon";
import "./dialog.css";

interface Props {
  title: string;
  onClose(): void;
  children: JSX.Element;
}

export function Dialog(props: Props) {
  let dialog!: HTMLDialogElement;
  // The browser keeps the focus within a modal dialog and gives it back at the end.
  onMount(() => dialog.showModal());
  return (
    <dialog
      class="dialog"
      ref={dialog}
      aria-label={props.title}
      onClose={() => props.onClose()}
      onClick={(event) => event.target === dialog && dialog.close()}
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
    </dialog>
  );
}
