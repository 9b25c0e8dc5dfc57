import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "tsdown";
import { library } from "../../tsdown.base.ts";

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
    neverBundle: [/^tiktoken/, /^ai-tokenizer/, /^pg$/, /^ioredis/, /^@aws-sdk/],
    alwaysBundle: [/.*/],
    onlyBundle: false,
  },
  // CommonJS has no `import.meta`, and a function of its own for what `doctor` asks it.
  define: { "import.meta.resolve": "require.resolve" },
  alias: { "node:child_process": local("src/no-child-process.ts") },
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
        {
          name: "library",
          test: /[\\/]packages[\\/](?!cli|threadfold|integrations|stores[\\/]src[\\/](?:postgres|redis|s3|objects|filesystem)[\\/])|[\\/]node_modules[\\/](?!commander|cli-progress|@modelcontextprotocol)/,
        },
        { name: "commands", test: /[\\/]cli[\\/]src[\\/](commands|compact|output|parse|store)[\\/]/ },
      ],
    },
  },
  plugins: [bundledLicenses()],
});

/** Writes down the licenses of the packages that went into the bundle, as they ask for. */
function bundledLicenses() {
  return {
    name: "bundled-licenses",
    generateBundle(
      this: Emitter,
      _options: unknown,
      bundle: Readonly<Record<string, { readonly moduleIds?: readonly string[] }>>,
    ) {
      const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
      const packages = new Set(
        modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []),
      );
      const source = [...packages].sort().map(licenseOf).join("\n\n");
      this.emitFile({ type: "asset", fileName: "main.licenses.txt", source: `${source}\n` });
    },
  };
}

interface Emitter {
  emitFile(file: { readonly type: "asset"; readonly fileName: string; readonly source: string }): unknown;
}

function licenseOf(folder: string): string {
  const name = relative(join(local("../.."), "node_modules"), folder).replaceAll("\\", "/");
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} goes into the bundle and has no license file.`);
  return `--- ${name} ---\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}

export default [library(), command];
