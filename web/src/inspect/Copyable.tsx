/** A value with its name and a button that copies it. */
import { copyText } from "../ui/clipboard";

interface Props {
  label: string;
  value: string;
}

export function Copyable(props: Props) {
  const copy = () => void copyText(props.value, `Copied: ${props.label}`);
  return (
    <p class="copyable">
      <span class="name">{props.label}</span>
      <code>{props.value}</code>
      <button type="button" aria-label={`Copy: ${props.label}`} onClick={copy}>
        Copy
      </button>
    </p>
  );
}
