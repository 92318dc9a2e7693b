/** The piece sets of the page: a style sheet for each folder of `pieces`, made in the build. */
import { readdirSync, readFileSync } from "node:fs";
import type { Plugin } from "vite";

const FOLDER = new URL("pieces/", import.meta.url);
const ROLES: Readonly<Record<string, string>> = {
  K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn",
};

/** The addresses of the style sheets by the names of the sets. */
const MODULE = "virtual:piece-sets";
const RESOLVED = `\0${MODULE}`;
const CLASSIC = /chessground\.cburnett\.css$/;

/** A drawing in a URL. Unlike base64, the text still compresses well. */
const dataUrl = (svg: string) =>
  `data:image/svg+xml,${svg.trim().replaceAll('"', "'").replace(/[#<>%]/g, encodeURIComponent)}`;

/** The rule for a drawing, such as `wK.svg` or, for boards with Black below, `wP-turned.svg`. */
function ruleOf(set: string, file: string): string {
  const [, color, role, turned] = /^([wb])([KQRBNP])(-turned)?\.svg$/.exec(file) ?? [];
  if (!color || !role) throw new Error(`web/pieces/${set}/${file} is not the name of a piece`);
  const board = `.cg-wrap${turned ? ".orientation-black" : ""}:not(.sample)`;
  const piece = `piece.${ROLES[role]}.${color === "w" ? "white" : "black"}`;
  const drawing = dataUrl(readFileSync(new URL(`${set}/${file}`, FOLDER), "utf8"));
  return `:root[data-pieces="${set}"] ${board} ${piece}{background-image:url("${drawing}")}`;
}

const styleSheet = (set: string) =>
  readdirSync(new URL(`${set}/`, FOLDER)).sort().map((file) => ruleOf(set, file)).join("\n");

export function pieceSets(): Plugin {
  let isBuild = false;
  return {
    name: "piece-sets",
    enforce: "pre",
    configResolved({ command }) {
      isBuild = command === "build";
    },
    resolveId: (id) => (id === MODULE ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      const sets = readdirSync(FOLDER, { withFileTypes: true }).filter((it) => it.isDirectory());
      const members = sets.map(({ name }) => {
        const source = styleSheet(name);
        if (!isBuild) return `${name}: "data:text/css,${encodeURIComponent(source)}"`;
        const file = this.emitFile({ type: "asset", name: `pieces-${name}.css`, source });
        return `${name}: import.meta.ROLLUP_FILE_URL_${file}`;
      });
      return `export default { ${members.sort().join(", ")} };`;
    },
    // The set that is always there.
    transform: {
      filter: { id: CLASSIC },
      handler: (code) => code.replace(/url\('data:image\/svg\+xml;base64,([^']+)'\)/g,
        (_, text: string) => `url("${dataUrl(Buffer.from(text, "base64").toString())}")`),
    },
  };
}
