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
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
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
