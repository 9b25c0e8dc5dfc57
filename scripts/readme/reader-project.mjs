// The setup of a reader of the README: a project outside the repository in which the README's install commands ran.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { freePorts, startEngines } from "../../apps/durable-engines/src/engines.ts";
import { npmCli, npmEnvironment } from "../npm.mjs";
import { packPackages } from "../pack-packages.mjs";
import { root } from "../workspaces.mjs";
import { startPackageRegistry } from "./package-registry.mjs";
import { startProviderDouble } from "./provider-double.mjs";

/** A recorded session, for the README's programs and commands that read one. */
const RECORDED_SESSION = "examples/sessions/a-day-on-threadfold.jsonl";

/**
 * Creates a reader's project: empty, with a registry that has this repository's packages and a double of the providers.
 * `run` runs a command line in it and returns what it printed to stdout.
 */
export async function openReaderProject() {
  const home = makeHome();
  const registry = await startPackageRegistry(await packPackages(join(home, "packed")));
  const settings = { registry: registry.url, cache: join(home, "npm-cache"), noproxy: "127.0.0.1" };
  return projectIn(home, settings, () => registry.close());
}

/**
 * Creates the same project with everything that the workspace has installed, as built: nothing is packed or installed.
 */
export async function openLinkedProject() {
  const home = makeHome();
  symlinkSync(join(root, "node_modules"), join(home, "project", "node_modules"), "junction");
  return projectIn(home, { offline: "true" });
}

/** Creates a folder with an empty project, and a folder with the commands that a reader has. */
function makeHome() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "threadfold-reader-")));
  const [folder, commands] = [join(home, "project"), join(home, "bin")];
  for (const place of [folder, commands]) mkdirSync(place);
  writeFileSync(join(folder, "package.json"), '{ "name": "reader", "private": true, "type": "module" }\n');
  copyFileSync(join(root, RECORDED_SESSION), join(folder, "session.jsonl"));
  symlinkSync(process.execPath, join(commands, "node"));
  for (const name of ["npm", "npx"]) {
    const program = join(dirname(npmCli()), `${name}-cli.js`);
    writeFileSync(join(commands, name), `#!/bin/sh\nexec node "${program}" "$@"\n`, { mode: 0o755 });
  }
  return home;
}

async function projectIn(home, settings, closeRegistry = async () => undefined) {
  const folder = join(home, "project");
  const [provider, engines, [port]] = await Promise.all([startProviderDouble(), startEngines(), freePorts(1)]);
  const { PATH = "", ...inherited } = npmEnvironment({ ...settings, userconfig: join(home, "npmrc") });
  const environment = {
    ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !/^(?:VITEST|CI$)/.test(name))),
    ...provider.environment,
    ...engines.environment,
    PORT: `${port}`,
    NO_COLOR: "1",
    // Excludes the workspace's own commands, which a reader does not have.
    PATH: [join(home, "bin"), ...PATH.split(delimiter).filter((path) => !path.startsWith(root))].join(delimiter),
  };

  return {
    folder,
    provider,
    /** Pages whose durable engine is not available on this machine, and why. */
    absent: engines.absent,
    write: (file, code) => writeFileSync(join(folder, file), code),
    async run(commandLine, nodeOptions = "") {
      const env = { ...environment, NODE_OPTIONS: nodeOptions };
      const { stdout } = await promisify(execFile)("sh", ["-e", "-c", commandLine], { cwd: folder, env });
      return stdout.trim();
    },
    /** Compiles TypeScript files as strictly as possible, and returns the compiler's errors. */
    async compile(files) {
      const options = "--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --skipLibCheck";
      const imports = "--allowImportingTsExtensions";
      const module = "--target es2024 --module nodenext --types node --typeRoots";
      const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
      const args = [...`${options} ${imports} ${module}`.split(" "), join(root, "node_modules", "@types"), ...files];
      try {
        await promisify(execFile)(process.execPath, [compiler, ...args], { cwd: folder });
        return "";
      } catch (error) {
        return error.stdout;
      }
    },
    async close() {
      await Promise.all([closeRegistry(), provider.close(), engines.close()]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
