import { defineConfig } from "vite";

// The built files are part of the Python package: no one who installs it needs Node.
export default defineConfig({
  base: "/",
  build: {
    outDir: "../src/antiphon/adapters/page",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Named by what is in them: a page of before an upgrade never gets a part of the next.
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
        codeSplitting: {
          groups: [
            { name: "xterm", test: /node_modules\/@xterm/ },
            { name: "codemirror", test: /node_modules\/(@codemirror|@lezer|@marijn|style-mod|crelt|w3c-keyname)/ },
          ],
        },
      },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
