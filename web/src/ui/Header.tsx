/** The header: the name, the menus of other parts, the buttons of the dialogs, and documents. */
import { For, type JSX } from "solid-js";
import { Icon, type IconName } from "./Icon";

type Dialog = "setup" | "settings" | "help";

interface Button {
  readonly dialog: Dialog;
  readonly icon: IconName;
  /** The name of the button. Narrow windows show the icon alone. */
  readonly label: string;
  readonly title: string;
}

const BUTTONS: readonly Button[] = [
  { dialog: "setup", icon: "setup", label: "Set up", title: "Set up position" },
  { dialog: "settings", icon: "settings", label: "Settings", title: "Settings" },
  { dialog: "help", icon: "help", label: "Help", title: "Help (?)" },
];

interface Props {
  onOpen(dialog: Dialog): void;
  /** Menus, before the buttons. */
  children?: JSX.Element;
}

export function Header(props: Props) {
  return (
    <header class="top">
      <h1>kibitzer</h1>
      {props.children}
      <For each={BUTTONS}>
        {({ dialog, icon, label, title }) => (
          <button
            type="button"
            aria-label={label}
            title={title}
            onClick={() => props.onOpen(dialog)}
          >
            <Icon name={icon} />
            <span class="wide">{label}</span>
          </button>
        )}
      </For>
      <nav aria-label="Documents"><Links /></nav>
    </header>
  );
}

/** The links to documents, for the header or, in one column, the end of the page. */
export function Links() {
  return (
    <>
      <a href="/docs">API reference</a>
      <a href="/assets/licenses.md">Licences</a>
    </>
  );
}
