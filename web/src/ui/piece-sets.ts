/** The style sheets of the piece sets besides the classic one, each loaded when it is chosen. */
import addresses from "virtual:piece-sets";

type LoadedSet = keyof typeof addresses;

const loads = new Map<LoadedSet, Promise<void>>();

/** Loads a style sheet and all pictures in it. They are shown where `data-pieces` names the set. */
export function loadPieces(set: LoadedSet): Promise<void> {
  const known = loads.get(set);
  if (known) return known;
  const loading = load(addresses[set]).catch((error: unknown) => {
    // The next choice tries again.
    loads.delete(set);
    throw error;
  });
  loads.set(set, loading);
  return loading;
}

async function load(address: string): Promise<void> {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  await new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      reject(new Error("The pieces cannot be loaded."));
    };
    document.head.append(link);
  });
  await Promise.all(picturesOf(link.sheet).map((source) => {
    const picture = new Image();
    picture.src = source;
    return picture.decode();
  }));
}

const picturesOf = (sheet: CSSStyleSheet | null) =>
  [...(sheet?.cssRules ?? [])].flatMap((rule) =>
    (rule as CSSStyleRule).style.backgroundImage.match(/(?<=^url\(").+(?="\)$)/)?.[0] ?? []);
