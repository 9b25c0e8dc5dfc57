// Installs the packed packages into empty projects outside the repository, as users do, and checks what they get:
// peers, copies, types, bundles, and programs on this Node, the oldest one, Bun and Deno. Needs minutes, 700 MB and a
// registry: `npm run build && npm run test:install [-- a part of a case's name]`
import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { oldestNode, whyNoOldestNode } from "./oldest-node.mjs";
import { packPackages } from "./pack-packages.mjs";
import { FIRST_FOLD } from "./readme/host-pages.mjs";
import { startProviderDouble } from "./readme/provider-double.mjs";
import { root } from "./workspaces.mjs";

const PNPM = "pnpm@10";
/** The npm that came with the oldest Node. */
const OLDEST_NPM = "npm@10.9.2";
const ONCE = /^(@threadfold\/.*|threadfold|ai|zod|ai-tokenizer)$/;

/** npm: our packages come from the tarballs, wherever in the tree they are requested. */
function withNpm(flags, npm = ["npm"]) {
  return (folder, hosts) => {
    writeManifest(folder, hosts, { overrides: fromTarballs() });
    const [program, ...first] = npm;
    run(folder, program, [...first, "install", "--no-audit", "--no-fund", ...flags]);
    run(folder, program, [...first, "ls", "--all"]);
  };
}

/** pnpm: a package finds only what it declares. */
function withPnpm(folder, hosts) {
  const overrides = Object.entries(fromTarballs()).map(([name, file]) => `  "${name}": "${file}"`);
  writeManifest(folder, hosts, {});
  writeFileSync(
    join(folder, "pnpm-workspace.yaml"),
    ["strictPeerDependencies: true", "overrides:", ...overrides, ""].join("\n"),
  );
  run(folder, "npx", ["--yes", PNPM, "install"]);
}

function fromTarballs() {
  return Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${file}`]));
}

function writeManifest(folder, dependencies, more) {
  const { threadfold, "@threadfold/integrations": integrations, "@threadfold/proxy": proxy } = fromTarballs();
  const own = { threadfold, "@threadfold/integrations": integrations, "@threadfold/proxy": proxy };
  const manifest = {
    name: "a-user",
    private: true,
    type: "module",
    dependencies: { ...own, ...dependencies },
    ...more,
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
}

/** A program for the installed packages: a thread in SQLite, folded and reopened, and the AI SDK adapters. */
const PROGRAM = `
import { rmSync } from "node:fs";
import { asMessageId, asThreadId, ContextSession, openStore } from "threadfold";

const threadId = asThreadId("t");
const said = (index) => ({
  id: asMessageId("m" + index), role: index % 2 === 0 ? "user" : "assistant", createdAt: "2026-01-01T00:00:00.000Z",
  parts: [{ type: "text", text: "Said as number " + index + ": " + "word ".repeat(300) }],
});
rmSync("work.db", { force: true });
for (const address of ["memory:", "sqlite:work.db"]) {
  const store = await openStore(address);
  const session = await ContextSession.open({ threadId, store, config: { maxInputTokens: 4_000 } });
  await session.append(Array.from({ length: 41 }, (_, index) => said(index)));
  const { outcome, tokens } = await session.prepare();
  if (outcome.type !== "committed" || tokens > 4_000) throw new Error(address + ": " + outcome.type + ", " + tokens);
  await session.close();
}
const again = await ContextSession.open({ threadId, store: await openStore("work.db") });
if (again.plan.version !== 1) throw new Error("The plan is gone.");
await again.close();
const missing = await openStore("postgres://127.0.0.1/none").then(() => "none", (error) => error);
if (missing.code !== "INVALID_CONFIG" || !missing.hint.includes("npm install pg")) throw missing;
`;

const ADAPTERS = `
import { aiSdkModel } from "threadfold/ai-sdk";
import { compactionMiddleware, threadfoldTools } from "@threadfold/integrations/ai-sdk";
if ([aiSdkModel, compactionMiddleware, threadfoldTools].some((one) => typeof one !== "function")) throw new Error("It is not there.");
`;

function runs(folder) {
  writeFileSync(join(folder, "program.js"), PROGRAM + ADAPTERS);
  writeFileSync(join(folder, "counter.js"), COUNTER);
  for (const program of ["program.js", "counter.js"]) onEachNode(folder, program);
}

function onEachNode(folder, program) {
  for (const node of nodes) run(folder, node, [program]);
}

/** What each example's first line has a reader install. H1 runs those of durable engines, which need servers. */
const EXAMPLE_HOSTS = [
  ...["@agentclientprotocol/sdk", "@ai-sdk/anthropic", "@anthropic-ai/sdk", "@google/genai", "@langchain/core"],
  ...["@langchain/langgraph", "@langchain/openai", "@mastra/core", "@modelcontextprotocol/client", "@openai/agents"],
  ...["@opentelemetry/api", "ai", "langchain", "openai", "zod"],
];
const EXAMPLES =
  /^(?:acp-client|ai-sdk|anthropic|gemini|langchain|mastra|mcp|openai-.*|opentelemetry|proxy)\.[jt]s$|^first-fold/;

/** Runs the examples that the package includes, as their README says, against a double of the providers. */
async function runsExamples(folder) {
  const examples = join(folder, "node_modules", "threadfold", "examples");
  const there = (await readdir(examples)).filter((name) => name !== "README.md");
  for (const name of there) copyFileSync(join(examples, name), join(folder, name));
  copyFileSync(join(root, "examples/sessions/a-day-on-threadfold.jsonl"), join(folder, "session.jsonl"));
  run(folder, "npx", ["threadfold", "import", "session.jsonl", "--store", "mcp.db"]);
  const provider = await startProviderDouble();
  try {
    for (const node of nodes)
      for (const name of there.filter((name) => EXAMPLES.test(name))) {
        const env = { ...process.env, ...provider.environment };
        const { stdout } = await promisify(execFile)(node, ["--experimental-strip-types", name], { cwd: folder, env });
        const isRight = name === "first-fold.js" ? FIRST_FOLD.test(stdout.trim()) : stdout.trim() !== "";
        if (!isRight) throw new Error(`${name} printed: ${stdout}`);
      }
    if (provider.refused.length > 0) throw new Error(`Refused: ${provider.refused.join(", ")}`);
  } finally {
    await provider.close();
  }
}

const COUNTER = `
import { loadTokenizer } from "threadfold";
const counted = { openai: 4, claude: 5, tiktoken: 4 };
for (const [id, tokens] of Object.entries(counted))
  if ((await loadTokenizer(id)).countTokens("Hello, world!") !== tokens) throw new Error(id);
`;

/** Runs the same programs on other runtimes, which npm installs. */
function runsOn(...runtimes) {
  return (folder) => {
    runs(folder);
    for (const program of ["program.js", "counter.js"])
      for (const [name, ...args] of runtimes) run(folder, "npx", [name, ...args, program]);
  };
}

const OURS =
  "threadfold threadfold/ai-sdk threadfold/anthropic threadfold/openai @threadfold/core @threadfold/renderer";
const DOORS = ["ai-sdk", "anthropic", "gemini", "mirror", "openai"].map((door) => `@threadfold/integrations/${door}`);

/** Compiles strictly, checks every declaration it reaches, and resolves modules as bundlers and as Node do. */
function compiles(folder) {
  const lines = [...OURS.split(" "), ...DOORS].map((entry, index) => `export * as entry${index} from "${entry}";`);
  writeFileSync(join(folder, "entries.ts"), lines.join("\n"));
  const strict = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2024", "--types", "node"];
  for (const [module, resolution] of Object.entries({ esnext: "bundler", nodenext: "nodenext" }))
    run(folder, "npx", ["tsc", ...strict, "--module", module, "--moduleResolution", resolution, "entries.ts"]);
}

/** Maximum size of core and renderer when sent to a browser, gzipped, in kB. */
const MOST_IN_BROWSERS = 220;

const IN_BROWSERS = `
import { AgentThread, asThreadId } from "@threadfold/core";
import * as renderer from "@threadfold/renderer";
globalThis.said = Object.keys(renderer).length > 0 && AgentThread.empty(asThreadId("t")).version;
`;

/** Bundles core and renderer into one script and runs it with only what a browser's worker has. */
function bundlesForBrowsers(folder) {
  writeFileSync(join(folder, "page.js"), IN_BROWSERS);
  const options = ["--bundle", "--minify", "--platform=browser", "--format=iife", "--outfile=bundle.js"];
  run(folder, "npx", ["esbuild", "page.js", ...options]);
  const script = readFileSync(join(folder, "bundle.js"));
  const worker = createContext({ TextEncoder, TextDecoder, crypto, URL, structuredClone, performance, setTimeout });
  runInContext(script.toString(), worker);
  if (worker.said !== 0) throw new Error(`The bundle said: ${worker.said}`);
  const [whole, sent] = [script.length, gzipSync(script).length].map((bytes) => Math.round(bytes / 1000));
  console.log(`        ${whole} kB minified, ${sent} kB gzipped, of ${MOST_IN_BROWSERS}`);
  if (sent > MOST_IN_BROWSERS) throw new Error("That is over the limit.");
}

/** Bundles the program into one file and runs it where nothing is installed. */
function runsAsOneFile(folder) {
  writeFileSync(join(folder, "program.js"), PROGRAM);
  for (const [format, file] of Object.entries({ esm: "bundle.mjs", cjs: "bundle.cjs" })) {
    const source = format === "esm" ? "program.js" : asCommonJs(folder);
    const out = join(home, "bundled", format, file);
    run(folder, "npx", ["esbuild", source, "--bundle", "--platform=node", `--format=${format}`, `--outfile=${out}`]);
    onEachNode(join(home, "bundled", format), file);
  }
}

/** Wraps the program in a function: CommonJS has no top-level await. */
function asCommonJs(folder) {
  const start = "main().catch((error) => { console.error(error); process.exit(1); });";
  writeFileSync(join(folder, "program-in-a-function.js"), `${inFunction("main", PROGRAM)}${start}\n`);
  return "program-in-a-function.js";
}

function inFunction(name, program) {
  const isImport = (line) => line.startsWith("import ");
  const lines = program.split("\n");
  const body = lines.filter((line) => !isImport(line));
  return [...lines.filter(isImport), `async function ${name}() {`, ...body, "}", ""].join("\n");
}

/** A static route is rendered at build time, so the build itself runs what it has bundled. */
function buildsWithNext(...flags) {
  return (folder) => {
    const route = [
      inFunction("tries", PROGRAM + ADAPTERS),
      'export const dynamic = "force-static";',
      'export const GET = () => tries().then(() => new Response("It ran."));',
    ];
    const page = "export default () => <p>A page</p>;";
    const layout = "export default ({ children }) => <html><body>{children}</body></html>;";
    mkdirSync(join(folder, "app", "turn"), { recursive: true });
    writeFileSync(join(folder, "app", "turn", "route.js"), route.join("\n"));
    writeFileSync(join(folder, "app", "page.jsx"), page);
    writeFileSync(join(folder, "app", "layout.jsx"), layout);
    run(folder, "npx", ["next", "build", ...flags], { NEXT_TELEMETRY_DISABLED: "1" });
    const answer = readFileSync(join(folder, ".next", "server", "app", "turn.body"), "utf8");
    if (answer !== "It ran.") throw new Error(`The route answered: ${answer}`);
  };
}

/** Fails if a package is installed more than once, apart from the extra versions that a host itself asks for. */
async function hasOneCopyOfEach(folder, hosts) {
  const places = new Map();
  await walk(join(folder, "node_modules"));
  const asked = (name) => Object.values(hosts).filter((version) => version.startsWith(`npm:${name}@`)).length;
  const several = [...places].filter(([name, found]) => ONCE.test(name) && found.size > 1 + asked(name));
  if (several.length > 0)
    throw new Error(
      several.map(([name, found]) => `${name} is installed ${found.size} times: ${[...found].join(", ")}`).join("\n"),
    );

  async function walk(modules) {
    for (const entry of await readdir(modules, { withFileTypes: true }).catch(() => [])) {
      const path = join(modules, entry.name);
      if (entry.name === ".pnpm")
        for (const inner of await readdir(path)) await walk(join(path, inner, "node_modules"));
      else if (entry.name.startsWith("@")) for (const scoped of await readdir(path)) await note(join(path, scoped));
      else if (!entry.name.startsWith(".")) await note(path);
    }
  }

  async function note(path) {
    const real = realpathSync(path);
    const text = await readFile(join(real, "package.json"), "utf8").catch(() => undefined);
    if (text === undefined) return;
    const { name } = JSON.parse(text);
    const known = places.get(name) ?? new Set();
    if (known.has(real)) return;
    places.set(name, known.add(real));
    await walk(join(real, "node_modules"));
  }
}

/** @throws Error with what the program printed, when it fails. */
function run(cwd, program, args, settings = {}) {
  mkdirSync(cwd, { recursive: true });
  // An npm script's own settings are not the user's.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...env, ...settings },
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${[program, ...args].join(" ")} exited with ${status}:\n${stdout}${stderr}`);
}

const home = mkdtempSync(join(realpathSync(tmpdir()), "threadfold-install-"));
const tarballs = await packPackages(join(home, "packed"));
const nodes = [process.execPath, ...(whyNoOldestNode === undefined ? [await oldestNode()] : [])];
if (whyNoOldestNode !== undefined) console.log(`Programs run on this Node only: ${whyNoOldestNode}.`);
const [wanted = ""] = process.argv.slice(2);

const STRICT = "--strict-peer-deps";
const NEXT = { ai: "7", next: "16", react: "19", "react-dom": "19" };
const SDKS = { "@anthropic-ai/sdk": "1", "@google/genai": "3", openai: "7" };
const CASES = [
  ...["6", "7"].flatMap((version) => [
    { name: `npm, AI SDK ${version}`, hosts: { ai: version }, install: withNpm([]) },
    { name: `npm ${STRICT}, AI SDK ${version}`, hosts: { ai: version }, install: withNpm([STRICT]) },
    {
      name: `${OLDEST_NPM} ${STRICT}, AI SDK ${version}`,
      hosts: { ai: version },
      install: withNpm([STRICT], ["npx", "--yes", OLDEST_NPM]),
    },
    { name: `pnpm, AI SDK ${version}`, hosts: { ai: version }, install: withPnpm },
  ]),
  {
    name: `npm ${STRICT}, AI SDK 7 beside AI SDK 6`,
    hosts: { ai: "6", "ai-7": "npm:ai@7" },
    install: withNpm([STRICT]),
  },
  { name: "pnpm, AI SDK 7 beside AI SDK 6", hosts: { ai: "6", "ai-7": "npm:ai@7" }, install: withPnpm },
  {
    name: "npm, examples of the package",
    hosts: Object.fromEntries(EXAMPLE_HOSTS.map((name) => [name, "*"])),
    install: withNpm([]),
    check: runsExamples,
  },
  {
    name: "TypeScript, strict, with all declarations",
    // The AI SDK uses the types of json-schema but does not install them.
    hosts: { ...SDKS, ai: "7", typescript: "5", "@types/node": "24", "@types/json-schema": "7" },
    install: withNpm([]),
    check: compiles,
  },
  {
    name: "Bun and Deno",
    hosts: { ai: "7", bun: "1", deno: "2" },
    install: withNpm([]),
    check: runsOn(["bun"], ["deno", "run", "-A"]),
  },
  {
    name: "esbuild, core and renderer for browsers",
    hosts: { esbuild: "0.28.2" },
    install: withNpm([]),
    check: bundlesForBrowsers,
  },
  { name: "esbuild, one file for Node", hosts: { esbuild: "0.28.2" }, install: withNpm([]), check: runsAsOneFile },
  { name: "next build (Turbopack)", hosts: NEXT, install: withNpm([STRICT]), check: buildsWithNext() },
  { name: "next build (webpack)", hosts: NEXT, install: withNpm([STRICT]), check: buildsWithNext("--webpack") },
];

let failed = 0;
for (const { name, hosts, install, check = runs } of CASES.filter((one) => one.name.includes(wanted))) {
  const folder = join(home, name.replaceAll(/\W+/g, "-"));
  mkdirSync(folder);
  try {
    await install(folder, hosts);
    await hasOneCopyOfEach(folder, hosts);
    await check(folder);
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n${error.message}`);
  }
}
if (failed === 0) rmSync(home, { recursive: true });
else console.log(`The projects are in ${home}.`);
process.exitCode = failed === 0 ? 0 : 1;
