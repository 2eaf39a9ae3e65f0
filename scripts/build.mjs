/**
 * `npm run build`: the program in dist/, bundled. Modules are most of what a start takes and a good part of an idle daemon's memory:
 * several hundred files are found, read and kept as text; the bundle is a few files without what is never used
 * (bench/start.ts, bench/idle.ts). What a configuration may be without stays in files of its own, loaded when it is asked for.
 */
import { chmod, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");

/** Packages that look for files of their own: native code, Lua, web pages, worker threads. */
const external = ["@bull-board/*", "bullmq", "ioredis", "pino", "pino-pretty", "snappy"];

await rm(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { cli: "src/entry.ts" },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external,
  // Shorter text is less to keep; names stay, for stack traces in logs.
  minifyWhitespace: true,
  minifySyntax: true,
  chunkNames: "chunks/[name]-[hash]",
  legalComments: "linked",
  sourcemap: true,
  sourcesContent: false,
  // For CommonJS packages, which ask for Node's own modules by require().
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
  logLevel: "warning",
});
await chmod(join(dist, "cli.js"), 0o755);
