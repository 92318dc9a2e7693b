import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import solid from "vite-plugin-solid";

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

export default defineConfig({
  plugins: [solid(), compressedFiles()],
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
