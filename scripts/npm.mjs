// Runs npm from scripts that may themselves have been started by npm.
import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const MOST_OUTPUT = 64 * 2 ** 20;

/**
 * Runs npm in a folder with the Node of this process, and returns what it printed to stdout.
 *
 * @throws Error with everything that npm printed, when its exit code is not 0.
 */
export async function npm(args, { cwd, settings = {} }) {
  try {
    const options = { cwd, env: npmEnvironment(settings), maxBuffer: MOST_OUTPUT };
    const { stdout } = await promisify(execFile)(process.execPath, [npmCli(), ...args], options);
    return stdout;
  } catch (error) {
    throw new Error(`npm ${args.join(" ")} failed in ${cwd}:\n${error.stdout ?? ""}${error.stderr ?? error.message}`);
  }
}

/** Returns the path of npm's program: the one that started this process, or the one in PATH. npx is next to it. */
export function npmCli() {
  const { npm_execpath: started, PATH = "" } = process.env;
  if (started !== undefined && existsSync(started)) return started;
  const folders = PATH.split(delimiter).filter((folder) => existsSync(join(folder, "npm")));
  const places = folders.flatMap((folder) => [
    realpathSync(join(folder, "npm")),
    join(folder, "node_modules", "npm", "bin", "npm-cli.js"),
  ]);
  const cli = places.find((place) => place.endsWith("npm-cli.js") && existsSync(place));
  if (cli === undefined) throw new Error("npm is not in PATH, and this process was not started by npm.");
  return cli;
}

/**
 * Returns the environment for an npm that works in another folder: without what the npm that started this process
 * passes on about its own project (workspaces, prefix, the running script), with this process's Node first in PATH, and
 * with `settings` named as in npm's configuration. The machine's configuration file stays: it may contain a company's
 * certificates.
 */
export function npmEnvironment(settings = {}) {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(?:lifecycle|package|command|config_(?:workspace|local_prefix|prefix|global(?!config)))/i.test(name),
  );
  const ours = Object.entries({ audit: "false", fund: "false", "update-notifier": "false", ...settings });
  return {
    ...Object.fromEntries(inherited),
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    INIT_CWD: "",
    ...Object.fromEntries(ours.map(([name, value]) => [`npm_config_${name.replaceAll("-", "_")}`, value])),
  };
}
