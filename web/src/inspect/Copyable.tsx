/** A value with its name and a button that copies it. */
import { toast } from "../ui/toasts";

interface Props {
  label: string;
  value: string;
}

export function Copyable(props: Props) {
  let value!: HTMLElement;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.value);
      toast(`Copied: ${props.label}`);
    } catch {
      // Browsers forbid it on pages without TLS: the user copies the selected text.
      getSelection()?.selectAllChildren(value);
      toast("The value is selected. Copy it with Ctrl+C.");
    }
  };
  return (
    <p class="copyable">
      <span class="name">{props.label}</span>
      <code ref={value}>{props.value}</code>
      <button type="button" aria-label={`Copy: ${props.label}`} onClick={() => void copy()}>
        Copy
      </button>
    </p>
  );
}
