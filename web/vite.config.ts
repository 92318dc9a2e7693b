import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import solid from "vite-plugin-solid";

/** The server behind `npm run dev`. */
const SERVER = process.env["KIBITZER_URL"] ?? "http://127.0.0.1:8080";

/**
 * Writes a copy of each file in both content codings, so that the server compresses nothing.
 * The best level costs time only here.
 */
function compressedCopies(): Plugin {
  return {
    name: "compressed-copies",
    apply: "build",
    writeBundle({ dir = "dist" }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!/\.(html|js|css|svg|md)$/.test(name)) continue;
        const file = join(dir, name);
        const content = readFileSync(file);
        const brotli = brotliCompressSync(content, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
          },
        });
        const gzip = gzipSync(content, { level: 9 });
        if (brotli.length < content.length) writeFileSync(`${file}.br`, brotli);
        if (gzip.length < content.length) writeFileSync(`${file}.gz`, gzip);
      }
    },
  };
}

export default defineConfig({
  plugins: [solid(), compressedCopies()],
  build: {
    target: "es2022",
    // One script and one style sheet: a preload would only add requests and code.
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    license: { fileName: "assets/licenses.md" },
  },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
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
