import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import solid from "vite-plugin-solid";
import { pieceSets } from "./piece-sets.ts";

/** The server behind `npm run dev`. */
const SERVER = process.env["KIBITZER_URL"] ?? "http://127.0.0.1:8080";

/**
 * Replaces each file by a copy in gzip, if that is smaller. The server embeds the copies and
 * compresses nothing. The best level costs time only here.
 */
function compressedFiles(): Plugin {
  return {
    name: "compressed-files",
    apply: "build",
    writeBundle({ dir = "dist" }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (name.endsWith(".html")) continue;
        const file = join(dir, name);
        const content = readFileSync(file);
        const compressed = gzipSync(content, { level: 9 });
        if (compressed.length >= content.length) continue;
        writeFileSync(`${file}.gz`, compressed);
        rmSync(file);
      }
    },
  };
}

/** Lets each `import()` of a file try again after a failure (src/ui/load-file.ts). */
function retriedImports(): Plugin {
  return {
    name: "retried-imports",
    apply: "build",
    renderChunk: (code) => code.replace(/\bimport\((["'`]\.\/[^"'`]+["'`])\)/g, "loadFile($1)"),
  };
}

/** Leaves out Vite's code for preloads, which `modulePreload` and `cssCodeSplit` make useless. */
function noPreloads(): Plugin {
  return {
    name: "no-preloads",
    enforce: "pre",
    apply: "build",
    load: (id) =>
      id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : null,
  };
}

const WORKER = "assets/service-worker.js";
const LICENSES = "assets/licenses.md";

/**
 * Builds the service worker, and tells it the names of the files that the page may load. Its
 * version is a hash over all that it keeps, and over itself. Browsers install one that differs.
 */
function serviceWorker(): Plugin {
  return {
    name: "service-worker",
    enforce: "post",
    apply: "build",
    buildStart() {
      this.emitFile({ type: "chunk", id: "src/service-worker.ts", fileName: WORKER });
    },
    generateBundle: {
      // After the style sheet is made.
      order: "post",
      handler(_options, bundle) {
        const worker = bundle[WORKER];
        if (worker?.type !== "chunk") return;
        const files = Object.keys(bundle)
          .filter((name) => name.startsWith("assets/") && ![WORKER, LICENSES].includes(name))
          .sort()
          .map((name) => `/${name}`);
        const page = bundle["index.html"];
        if (page?.type !== "asset") throw new Error("the page must be built before its worker");
        const version = createHash("sha256").update([...files, page.source, worker.code].join("\n"))
          .digest("hex").slice(0, 12);
        worker.code = worker.code
          .replace("__FILES__", JSON.stringify(files))
          .replace("__VERSION__", JSON.stringify(version));
      },
    },
  };
}

/** All but the modules of chessops that only read or write PGN. */
const LIBRARIES = new RegExp("node_modules/(solid-js|@badrap|@lichess-org|chessops/.*/" +
  "(attacks|board|chess|compat|debug|fen|san|setup|squareSet|types|util)\\.js)");

/** What `late` and `afterFirstPaint` load. */
const EXTRAS = new RegExp("clients/typescript/src/lines|web/src/(Dialogs|" +
  "ui/(cache|clipboard|held-buttons|CommandList)|" +
  "board/(extras|AroundBoard|Players|material|wheel-steps)|" +
  "board/(PlayGrid|SquareGrid|PromotionChooser|typed-move|position-check)|" +
  "tree/(extras|game-commands|legal-moves|player-info)|" +
  "tree/(DropZone|GameResult|MoveMenu|ForkChooser|NoteEditor)|" +
  "engine/(Chips|LinePreview|check-position|latest|requests|restriction|server-events|threat)|" +
  "explore/(store|line|values|texts|tablebase))\\.");

export default defineConfig({
  plugins: [
    solid(), noPreloads(), retriedImports(), pieceSets(), serviceWorker(), compressedFiles(),
  ],
  build: {
    target: "es2022",
    // One script and one style sheet: a preload would only add requests and code.
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    // Two files besides the first script: the libraries that the page needs at once, and what is
    // loaded after the first paint. Else each set of modules that two parts share would be a file.
    rolldownOptions: { output: { codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: "libraries", test: LIBRARIES }, { name: "extras", test: EXTRAS }],
    } } },
    license: { fileName: LICENSES },
  },
  // A test that hangs ends; a slow machine is no failure.
  test: {
    include: ["src/**/*.test.ts"],
    environment: "node",
    // The modules have no state that one test could leave to another.
    pool: "threads",
    isolate: false,
    testTimeout: 120_000,
  },
  server: {
    // `npm run dev` beside `make run`. The server refuses sockets of other origins.
    proxy: {
      "/v1": {
        target: SERVER,
        ws: true,
        headers: { origin: SERVER },
        changeOrigin: true,
      },
    },
  },
});
