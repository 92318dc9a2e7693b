/** The bit fields of a number side by side: bits, name and meaning of each. */
import { Cells } from "./Cells";
import type { Field } from "./bit-fields";

interface Props {
  label: string;
  fields: readonly Field[];
}

export function Fields(props: Props) {
  return (
    <Cells
      label={props.label}
      layout="fields"
      items={props.fields.map(({ name, bits, meaning, squares }) => ({
        text: [bits, name, meaning], label: `${bits}, ${name}, ${meaning}`, squares,
      }))}
    />
  );
}

/** The place of the fields while no square is chosen. */
export function NoFields() {
  return <p class="hint no-fields">Point at a square above, or choose one.</p>;
}
