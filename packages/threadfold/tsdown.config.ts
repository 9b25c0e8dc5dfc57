import { fileURLToPath } from "node:url";
import { defineConfig } from "tsdown";
import { latePatterns } from "../../scripts/build/late-patterns.ts";
import { bundledLicenses, library } from "../../tsdown.base.ts";

const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * The command, in as few files as can be: every file has to be found, read and compiled before it starts. It is CommonJS,
 * because an ES module that imports a built-in module of Node loads everything that the module can do. The token counters
 * and the drivers of servers stay outside, for they are megabytes; what needs them is loaded by those who ask for it.
 */
const command = defineConfig({
  entry: { main: "src/main.ts" },
  format: "cjs",
  platform: "node",
  dts: false,
  clean: false,
  minify: true,
  deps: {
    neverBundle: [/^tiktoken/, /^pg$/, /^ioredis/, /^@aws-sdk/, /^@anthropic-ai\/sdk/, /^openai$/, /^ai$/],
    alwaysBundle: [/.*/],
    onlyBundle: false,
  },
  // CommonJS has no `import.meta`, and a function of its own for what `doctor` asks it.
  define: { "import.meta.resolve": "require.resolve" },
  alias: {
    "node:child_process": local("src/no-child-process.ts"),
    // As it is built: from source it would bring along what bundles it.
    "@threadfold/inspector": local("../inspector/dist/index.js"),
  },
  inputOptions: {
    resolve: { conditionNames: ["threadfold-source", "import", "node", "default"] },
    // The bundler would only warn, and put an empty object in its place, which shows when somebody runs the command.
    onLog(level, log, handle) {
      if (log.code === "EMPTY_IMPORT_META") throw new Error(`${log.message}\nCommonJS has no import.meta.`);
      handle(level, log);
    },
  },
  outputOptions: {
    codeSplitting: {
      groups: [
        // What the command line is read with, and refused: all that a version, a help or a wrong option needs.
        {
          name: "start",
          test: /[\\/]cli[\\/]src[\\/](command[\\/]|output[\\/]page)/,
        },
        {
          name: "library",
          test: /[\\/]packages[\\/](?!cli|threadfold|integrations|inspection|inspector|proxy|stores[\\/]src[\\/](?:postgres|redis|s3|objects|filesystem)[\\/]|summarizers[\\/]src[\\/]adapters[\\/])|[\\/]node_modules[\\/](?!commander|cli-progress|eventsource-parser|@modelcontextprotocol)/,
        },
        { name: "commands", test: /[\\/]cli[\\/]src[\\/](commands|compact|output|parse|store)[\\/]/ },
      ],
    },
  },
  plugins: [encodingsOutside(), latePatterns(), bundledLicenses("main.licenses.txt")],
});

/**
 * Leaves the encodings that tokens are counted with where they are installed, with the package that has them.
 *
 * @throws Error when the bundle has one after all, which nobody would see but by what starting the command takes.
 */
function encodingsOutside() {
  return {
    name: "encodings-outside",
    resolveId(specifier: string, importer?: string) {
      const [, name] = /^\.\/encodings\/([\w-]+)\.ts$/.exec(specifier) ?? [];
      if (name === undefined || !importer?.includes("tokenizers")) return null;
      return { id: `@threadfold/tokenizers/encodings/${name}`, external: true };
    },
    generateBundle(_options: unknown, bundle: Readonly<Record<string, { readonly moduleIds?: readonly string[] }>>) {
      const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
      const inside = modules.find((id) => /[\\/]encodings?[\\/]/.test(id));
      if (inside !== undefined) throw new Error(`The command would bring along ${inside}, which is megabytes long.`);
    },
  };
}

/** What a user imports: everything in one entry, and what needs a package of the user's own behind an entry of its name. */
const ENTRIES = ["index", "ai-sdk", "anthropic", "openai", "pg-boss", "postgres", "redis", "s3", "laws"];

export default [library(Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`]))), command];
