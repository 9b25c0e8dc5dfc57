import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import type { CliCall, CliCommand } from "../command/cli-command.ts";
import hostPrograms from "../init/host-programs.json" with { type: "json" };
import { fileProblem } from "../output/output-folder.ts";

/** A host's program, from its page in docs/hosts. */
interface HostProgram {
  /** Commands that install its dependencies. */
  readonly install: string;
  /** File name of the program. */
  readonly file: string;
  readonly code: string;
}

type HostName = keyof typeof hostPrograms;

/** Packages by which a host is recognized. A framework precedes the client that it is built on. */
const HOST_PACKAGES: readonly (readonly [packageName: string, host: HostName])[] = [
  ["@agentclientprotocol/sdk", "acp"],
  ["@mastra/core", "mastra"],
  ["@openai/agents", "openai-agents"],
  ["langchain", "langchain"],
  ["@langchain/core", "langchain"],
  ["@earendil-works/pi-coding-agent", "pi"],
  ["ai", "ai-sdk"],
  ["@anthropic-ai/sdk", "anthropic"],
  ["@google/genai", "gemini"],
  ["openai", "openai"],
];

const HOST_NAMES = [...new Set(HOST_PACKAGES.map(([, host]) => host))];

/** `init`: writes the program from a host's page into a project. */
export const initCommand: CliCommand = {
  arguments: [{ name: "folder", description: "folder of the project (default: this one)", optional: true }],
  options: [
    { flags: "--host <name>", description: "host to write for (default: found in package.json)", choices: HOST_NAMES },
    { flags: "--dry-run", description: "show the file, and write nothing" },
  ],
  examples: ["init --dry-run", "init", "init packages/agent --host openai"],
  async run({ arguments: [folder = "."], options }) {
    const found = hostsOf(folder);
    const host = chosenHost(options) ?? found[0];
    if (host === undefined) throw noHost(folder);
    const { install, file, code }: HostProgram = hostPrograms[host];
    const path = join(folder, file);
    const isDryRun = options["dryRun"] === true;
    if (!isDryRun) writeNew(path, code);
    const others = found.filter((other) => other !== host);
    return {
      data: { host, found, file: path, written: !isDryRun, install, code },
      text: () =>
        isDryRun ? code : `Wrote ${path} for the host ${host}.\n\nNext:\n${nextSteps(folder, install, file)}`,
      brief: isDryRun ? code : path,
      notes: [
        ...(isDryRun ? [`This is what ${path} would be, for the host ${host}. Nothing was written.`] : []),
        ...(others.length > 0 ? [`The project also has ${others.join(" and ")}; choose with --host.`] : []),
      ],
    };
  },
};

const chosenHost = ({ host }: CliCall["options"]): HostName | undefined => HOST_NAMES.find((name) => name === host);

/** Returns the hosts that a project depends on. @throws ThreadfoldError `UNREADABLE_SOURCE`, `INVALID_JSON`. */
function hostsOf(folder: string): readonly HostName[] {
  const path = join(folder, "package.json");
  const packages = dependenciesOf(readManifest(path), path);
  return [...new Set(HOST_PACKAGES.flatMap(([name, host]) => (packages.has(name) ? [host] : [])))];
}

function readManifest(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ThreadfoldError("UNREADABLE_SOURCE", `${path} cannot be read: ${fileProblem(cause)}.`, {
      hint: "Name the folder of a project with a package.json; npm init creates one.",
      details: { path },
      cause,
    });
  }
}

const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

function dependenciesOf(text: string, path: string): ReadonlySet<string> {
  try {
    const manifest: unknown = JSON.parse(text);
    if (typeof manifest !== "object" || manifest === null) throw new TypeError("it is not an object");
    const fields = manifest as Readonly<Record<string, unknown>>;
    return new Set(DEPENDENCIES.flatMap((name) => Object.keys(Object(fields[name]))));
  } catch (cause) {
    throw new ThreadfoldError("INVALID_JSON", `${path} is not a manifest: ${(cause as Error).message}.`, { cause });
  }
}

const noHost = (folder: string): ThreadfoldError =>
  new ThreadfoldError("USAGE", `No known host is among the dependencies of ${join(folder, "package.json")}.`, {
    hint: `Name one with --host: ${HOST_NAMES.join(", ")}. For an agent that you cannot change, use threadfold run.`,
  });

/** Writes a new file. @throws ThreadfoldError `OUTPUT_UNWRITABLE`, also when the file already exists. */
function writeNew(path: string, code: string): void {
  try {
    writeFileSync(path, code, { flag: "wx" });
  } catch (cause) {
    const isThere = existsSync(path);
    const reason = isThere ? "it already exists" : fileProblem(cause);
    throw new ThreadfoldError("OUTPUT_UNWRITABLE", `${path} cannot be written: ${reason}.`, {
      hint: isThere ? "It was not changed. Show the lines with --dry-run." : "Name a folder that can be written to.",
      details: { path },
      cause,
    });
  }
}

function nextSteps(folder: string, install: string, file: string): string {
  const place = relative(".", folder);
  const steps = [...(place === "" ? [] : [`cd ${place}`]), ...install.split("\n"), `node ${file}`];
  return steps.map((step) => `  ${step}`).join("\n");
}
