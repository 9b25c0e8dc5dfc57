import type { FileItem } from "@threadfold/core";
import { readShellCommand, type ShellSegment } from "./shell-command.ts";

/** What a call does to a file. */
export interface FileAction {
  readonly path: string;
  readonly action: FileItem["action"];
}

const READERS: ReadonlySet<string> = new Set([
  "cat",
  "head",
  "tail",
  "less",
  "more",
  "nl",
  "bat",
  "sed",
  "awk",
  "wc",
  "source",
  "diff",
]);

/** What a shell command does to files, as far as its words tell. */
export function shellFileActions(command: string): readonly FileAction[] {
  return readShellCommand(command).flatMap(segmentActions);
}

function segmentActions({ words, redirects }: ShellSegment): readonly FileAction[] {
  const written = redirects.filter(isFile).map((path): FileAction => ({ path, action: "created" }));
  const [name, ...rest] = skipPrefixes(words);
  if (name === undefined) return written;
  const files = rest.filter((word) => !word.startsWith("-") && isFile(word));
  return [...written, ...commandActions(name, rest, files)];
}

function commandActions(name: string, rest: readonly string[], files: readonly string[]): readonly FileAction[] {
  const all = (action: FileAction["action"]): readonly FileAction[] => files.map((path) => ({ path, action }));
  switch (name) {
    case "rm":
    case "unlink":
      return all("deleted");
    case "touch":
      return all("created");
    case "tee":
      return all(rest.includes("-a") ? "modified" : "created");
    case "mv": {
      const [from, to] = files;
      return from === undefined || to === undefined
        ? []
        : [
            { path: from, action: "deleted" },
            { path: to, action: "created" },
          ];
    }
    case "cp":
      return files.slice(-1).map((path) => ({ path, action: "created" }));
    case "git":
      return rest[0] === "rm" ? all("deleted") : [];
    case "sed":
    case "awk": {
      const isChanged = name === "sed" && rest.some((word) => /^-\w*i/.test(word));
      return withoutScript(rest, files).map((path) => ({ path, action: isChanged ? "modified" : "read" }));
    }
  }
  return READERS.has(name) ? all("read") : [];
}

/** The first word that is no option is the script, and what follows `-e` and `-f`; a script may look like a path. */
function withoutScript(rest: readonly string[], files: readonly string[]): readonly string[] {
  const given = rest.flatMap((word, index) => (/^-[ef]$/.test(rest[index - 1] ?? "") ? [word] : []));
  const script = given.length > 0 ? given : [rest.find((word) => !word.startsWith("-"))];
  return files.filter((path) => !script.includes(path));
}

/** `sudo`, `time` and variable settings stand before the command itself. */
function skipPrefixes(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^(?:sudo|time|env|nohup|command|[A-Za-z_]\w*=.*)$/.test(word));
  return first < 0 ? [] : words.slice(first);
}

/** A word that names a file: it has an extension or a folder, and no sign of a pattern, a variable or a device. */
function isFile(word: string): boolean {
  if (word.length < 3 || word.length > 260 || /[*?$`{}()[\]\n|^\s,'"]/.test(word)) return false;
  if (word.startsWith("/dev/") || word.includes("://")) return false;
  return /\.\w{1,8}$/.test(word) || (word.includes("/") && /[A-Za-z]/.test(word) && !word.endsWith("/"));
}

const PATCH_LINE = /^\*\*\* (Add|Update|Delete) File: (.+)$/gm;
const PATCH_ACTIONS: Readonly<Record<string, FileAction["action"]>> = {
  Add: "created",
  Update: "modified",
  Delete: "deleted",
};

/** The files that a patch in the `*** Update File:` form touches. */
export function patchFileActions(patch: string): readonly FileAction[] {
  return [...patch.matchAll(PATCH_LINE)].map(([, verb, path]) => ({
    path: (path as string).trim(),
    action: PATCH_ACTIONS[verb as string] as FileAction["action"],
  }));
}
