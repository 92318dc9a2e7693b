/** Links that hold the whole state of the board in their fragment, which no server sees. */
import { lineThrough, withoutComments } from "./excerpt";
import { newTree, nodeOf, pathTo, type Tree } from "./tree";
import { pack, unpack, type View } from "./saved";

/** The version of the format. It stands before the content of a fragment. */
const VERSION = "1";

/** Longer links are cut or refused by programs that people send them with. */
export const MAX_LINK = 8_000;

/** What the content of a fragment may grow to when it is unpacked. */
const MAX_CONTENT = 2_000_000;

export interface Link {
  readonly fragment: string;
  /** What had to be left out, for a sentence, or `null`. */
  readonly leftOut: string | null;
  /** The length of the link with everything. */
  readonly fullLength: number;
}

/** Bytes through a coding of the browser. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  coding: CompressionStream | DecompressionStream,
  limit = Infinity,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(coding).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    length += value.length;
    if (length > limit) throw new RangeError("too long");
  }
}

function toBase64(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
}

async function fragmentOf(view: View): Promise<string> {
  const bytes = new TextEncoder().encode(pack(view));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  return `${VERSION}.${toBase64(packed)}`;
}

/** A view with a part of the tree, at the last shown move that the part has. */
function partOf({ tree: whole, current, orientation }: View, tree: Tree): View {
  const shown = pathTo(whole, current).findLast(({ id }) => tree.nodes.has(id));
  return { tree, current: shown?.id ?? current, orientation };
}

/** The link of a view with as much of the tree as fits. */
export async function makeLink(view: View, base: string): Promise<Link> {
  const { tree, current } = view;
  const whole = await fragmentOf(view);
  const fullLength = base.length + 1 + whole.length;
  const shorter: readonly [string, () => Tree][] = [
    ["the comments", () => withoutComments(tree)],
    ["the comments and all other lines", () => withoutComments(lineThrough(tree, current))],
    ["the comments, the tags and all moves", () => newTree(nodeOf(tree, current).fen)],
  ];
  if (fullLength <= MAX_LINK) return { fragment: whole, leftOut: null, fullLength };
  for (const [leftOut, shorten] of shorter) {
    const part = shorten();
    const fragment = await fragmentOf(
      part.nodes.size === 1 ? { ...view, tree: part, current: 0 } : partOf(view, part),
    );
    if (base.length + 1 + fragment.length <= MAX_LINK) return { fragment, leftOut, fullLength };
  }
  throw new RangeError("a position alone always fits");
}

/** What a fragment holds, or a sentence that says why it cannot be read. */
type ReadLink = { readonly view: View } | { readonly problem: string };

export async function readLink(fragment: string): Promise<ReadLink> {
  const [version, content = ""] = fragment.split(".", 2);
  if (!/^\d+$/.test(version ?? "") || content === "") {
    return { problem: "The part of the address after “#” is not a link of this board." };
  }
  if (version !== VERSION) {
    return { problem: `The link is of version ${version}; this board reads version ${VERSION}.` };
  }
  try {
    const coding = new DecompressionStream("deflate-raw");
    const bytes = await through(fromBase64(content), coding, MAX_CONTENT);
    const view = unpack(new TextDecoder().decode(bytes));
    if (view) return { view };
  } catch {
    // Not base64, not deflate, or far too long: the same sentence.
  }
  return { problem: "The link is damaged, perhaps cut off. The moves on the board are kept." };
}
