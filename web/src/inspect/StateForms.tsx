/** The forms of the state without the pieces: nine bits, and the special byte. */
import { binary } from "./bits";
import { bitsOf, specialFields, stateFields } from "./bit-fields";
import { Cells } from "./Cells";
import { Copyable } from "./Copyable";
import { useInspect } from "./context";
import { Fields } from "./Fields";

export function StateForm() {
  const { position } = useInspect();
  const state = () => position().views.state;
  const members = () => Object.entries(state()).map(([name, value]) => ({
    text: [name, String(value)], label: `${name}: ${value}`, squares: [],
  }));
  return (
    <>
      <Copyable label="bits" value={`${state().bits} = ${bitsOf(stateFields(position()))}`} />
      <h4>Bit 8 to bit 0</h4>
      <Fields label="Fields of the nine bits" fields={stateFields(position())} />
      <h4>Members of the state</h4>
      <Cells label="Members" layout="table pairs" items={members()} />
    </>
  );
}

export function SpecialForm() {
  const { position } = useInspect();
  const special = () => position().views.special;
  return (
    <>
      <Copyable label="special" value={`${special()} = ${binary(special(), 8)}`} />
      <h4>Bit 7 to bit 0</h4>
      <Fields label="Fields of the byte" fields={specialFields(position())} />
    </>
  );
}
