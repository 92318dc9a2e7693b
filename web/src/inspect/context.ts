/** The shared context of all forms of the panel. */
import { createContext, useContext } from "solid-js";
import type { TreeStore } from "../tree/store";
import type { BitOrder } from "./bits";
import type { Inspected, Requests } from "./requests";
import type { Selection } from "./selection";

export interface Inspect {
  readonly selection: Selection;
  readonly requests: Requests;
  readonly tree: TreeStore;
  /** The shown position as the server describes it. */
  position(): Inspected;
  order(): BitOrder;
}

const Context = createContext<Inspect>();

export const InspectProvider = Context.Provider;

export function useInspect(): Inspect {
  const inspect = useContext(Context);
  if (!inspect) throw new Error("this form is outside the panel");
  return inspect;
}
