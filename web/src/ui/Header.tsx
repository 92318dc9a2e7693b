/** Parts of the header: a button with an icon, and the links to documents. */
import { Icon, type IconName } from "./Icon";

interface Props {
  icon: IconName;
  /** The name of the button. Narrow windows show the icon alone. */
  label: string;
  shortcut?: string;
  onClick(): void;
}

export function HeaderButton(props: Props) {
  return (
    <button
      type="button"
      aria-label={props.label}
      title={props.shortcut ? `${props.label} (${props.shortcut})` : props.label}
      onClick={() => props.onClick()}
    >
      <Icon name={props.icon} />
      <span class="wide">{props.label}</span>
    </button>
  );
}

export function Links() {
  return (
    <>
      <a href="/docs">API reference</a>
      <a href="/assets/licenses.md">Licences</a>
    </>
  );
}
