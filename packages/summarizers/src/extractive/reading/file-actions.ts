import {
  type ArgumentRole,
  type FileItem,
  fileArgument,
  fileName,
  type JsonValue,
  plainPath,
  toolArgument,
} from "@threadfold/core";
import { writtenByProgram } from "./shell-command.ts";
import { readShellCommand, type ShellSegment } from "./shell-reader.ts";

/** A file and what a call does to it; `restored` when git puts back its last commit. */
export interface FileAction {
  readonly path: string;
  readonly action: FileItem["action"] | "restored";
}

const READERS: ReadonlySet<string> = new Set(
  "cat head tail less more nl bat sed awk wc source diff get-content gc type".split(" "),
);
/** What commands do to the files that they name, those of PowerShell in lower case. */
const ACTIONS: Readonly<Record<string, FileItem["action"]>> = {
  ...{ rm: "deleted", unlink: "deleted", del: "deleted", erase: "deleted", "remove-item": "deleted" },
  ...{ touch: "created", "new-item": "created", "set-content": "created", "out-file": "created" },
  "add-content": "modified",
};

/** Returns what a shell command does to files, as far as its words show, with the folders that it changes to. */
export function shellFileActions(command: string): readonly FileAction[] {
  let folder = "";
  const actions = readShellCommand(command).flatMap((segment) => {
    const [name, target = "~", ...others] = segment.words;
    if (CHANGES_FOLDER.test(name ?? "") && others.length === 0) folder = changedFolder(folder, target);
    return segmentActions(segment).map(({ path, action }) => ({ path: pathIn(folder, path), action }));
  });
  const written = writtenByProgram(command).filter(isFile);
  return [...actions, ...written.map((path): FileAction => ({ path: pathIn(folder, path), action: "modified" }))];
}

const CHANGES_FOLDER = /^(?:cd|set-location)$/i;

/** The folder after a change, relative to the first one unless it is absolute; empty when it is not known. */
function changedFolder(folder: string, target: string): string {
  const plain = target.replace(/(?<=[^\\/])[\\/]+$/, "");
  if (/[~$`*?]|^-$|(?:^|[\\/])\.\.(?:[\\/]|$)/.test(plain)) return "";
  return plain === "." ? folder : pathIn(folder, plain);
}

function pathIn(folder: string, path: string): string {
  if (folder === "" || /^(?:[\\/]|~|\.\.[\\/]|[A-Za-z]:)/.test(path)) return path;
  return `${folder === "/" ? "" : folder}${/\\/.test(folder + path) ? "\\" : "/"}${plainPath(path)}`;
}

function segmentActions({ words, redirects }: ShellSegment): readonly FileAction[] {
  const written = redirects.filter(isFile).map((path): FileAction => ({ path, action: "created" }));
  const [name, ...rest] = skipPrefixes(words);
  if (name === undefined) return written;
  const files = rest.filter((word) => !word.startsWith("-") && isFile(word));
  return [...written, ...commandActions(name.toLowerCase(), rest, files)];
}

function commandActions(name: string, rest: readonly string[], files: readonly string[]): readonly FileAction[] {
  const all = (action: FileAction["action"]): readonly FileAction[] => files.map((path) => ({ path, action }));
  const action = ACTIONS[name];
  if (action !== undefined) return rest.includes("Directory") ? [] : all(action);
  switch (name) {
    case "ed":
    case "ex":
      return all("modified");
    case "tee":
      return all(rest.includes("-a") ? "modified" : "created");
    case "mv":
    case "move":
    case "move-item":
      return movedFiles(rest);
    case "cp":
    case "copy":
    case "copy-item":
      return targetsOf(rest).map(({ to }) => ({ path: to, action: "created" }));
    case "git":
      return gitFileActions(rest);
    case "sed":
    case "awk": {
      const isChanged = name === "sed" && rest.some((word) => /^-\w*i/.test(word));
      return withoutScript(rest, files).map((path) => ({ path, action: isChanged ? "modified" : "read" }));
    }
  }
  return READERS.has(name) ? all("read") : [];
}

function movedFiles(rest: readonly string[]): readonly FileAction[] {
  return targetsOf(rest).flatMap(({ from, to }) => [
    { path: from, action: "deleted" },
    { path: to, action: "created" },
  ]);
}

/** The files that are copied or moved, and where to: the last word names the folder for several, or the file itself. */
function targetsOf(rest: readonly string[]): readonly { readonly from: string; readonly to: string }[] {
  const words = rest.filter((word) => !word.startsWith("-"));
  const target = words.at(-1) ?? "";
  const isFolder = words.length > 2 || /(?:^|[\\/])\.{0,2}$/.test(target);
  const folder = target.replace(/[\\/]?\.?$/, "");
  const inFolder = (from: string): string => `${folder === "" ? "" : `${folder}/`}${fileName(from)}`;
  return words
    .slice(0, -1)
    .map((from) => ({ from, to: isFolder ? inFolder(from) : target }))
    .filter(({ from, to }) => isFile(from) && isFile(to));
}

function gitFileActions([action, ...rest]: readonly string[]): readonly FileAction[] {
  const words = rest.filter((word) => word === "--" || !word.startsWith("-"));
  switch (action) {
    case "rm":
      return words.filter(isFile).map((path) => ({ path, action: "deleted" }));
    case "mv":
      return movedFiles(rest);
    case "restore":
      return rest.some((word) => /^(?:--staged|-S|--source\b|-s$)/.test(word)) ? [] : restoredFiles(words);
    case "checkout":
      return restoredFiles(words[0] === "HEAD" ? words.slice(1) : words);
    default:
      return [];
  }
}

/** Paths are restored alone, or after `--`; what stands before it is another state of them. */
function restoredFiles(words: readonly string[]): readonly FileAction[] {
  const paths = words[0] === "--" ? words.slice(1) : words;
  const action = paths.includes("--") ? "modified" : "restored";
  return paths
    .slice(paths.indexOf("--") + 1)
    .filter(isFile)
    .map((path) => ({ path, action }));
}

/** Leaves out the script (the first word that is no option or empty suffix, or what follows `-e` or `-f`), which may look like a path. */
function withoutScript(rest: readonly string[], files: readonly string[]): readonly string[] {
  const given = rest.flatMap((word, index) => (/^-[ef]$/.test(rest[index - 1] ?? "") ? [word] : []));
  const script = given.length > 0 ? given : [rest.find((word) => word !== "" && !word.startsWith("-"))];
  return files.filter((path) => !script.includes(path));
}

/** Skips `sudo`, `time`, variable settings and the like before the command itself. */
function skipPrefixes(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^(?:sudo|time|env|nohup|command|[A-Za-z_]\w*=.*)$/.test(word));
  return first < 0 ? [] : words.slice(first);
}

/** True for a word that names a file: it has an extension or a folder, and is no pattern, variable, device or URL. */
function isFile(word: string): boolean {
  if (word.length < 3 || word.length > 260 || /[*?$`{}()[\]\n|^\s,'"]/.test(word)) return false;
  if (word.startsWith("/dev/") || word.includes("://")) return false;
  return /\.\w{1,8}$/.test(word) || (/[\\/]/.test(word) && /[A-Za-z]/.test(word) && !/[\\/]$/.test(word));
}

const PATCH_LINE = /^\*\*\* (Add|Update|Delete) File: (.+)$/gm;
const PATCH_ACTIONS: Readonly<Record<string, FileAction["action"]>> = {
  Add: "created",
  Update: "modified",
  Delete: "deleted",
};

/** Returns the files that a patch in the `*** Update File:` format touches. */
export function patchFileActions(patch: string): readonly FileAction[] {
  return [...patch.matchAll(PATCH_LINE)].map(([, verb, path]) => ({
    path: (path as string).trim(),
    action: PATCH_ACTIONS[verb as string] as FileAction["action"],
  }));
}

/** A change to one file by a call: the new text, and the text that it replaced. */
export interface FileChange {
  readonly path: string;
  readonly after: string;
  readonly before: string;
}

const PATCH = "*** Begin Patch";
/**
 * The most of a text that is read for names, in UTF-16 code units; longer ones have more than a summary has room for.
 */
export const MOST_READ = 40_000;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]{3,}/gu;

/** Returns what a call changes in files: one file by its fields or a list of edits, or several by a patch. */
export function fileChanges(input: JsonValue): readonly FileChange[] {
  const patch = patchIn(input);
  if (patch !== undefined) return patchedFiles(patch);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const path = fileArgument(input);
  if (path === undefined) return [];
  const blocks = editBlocks(textIn(input, "patch"));
  if (blocks.length > 0) return [{ path, after: joinedBy(blocks, "after"), before: joinedBy(blocks, "before") }];
  const parts = [input, ...Object.values(input).filter(Array.isArray).flat()] as readonly JsonValue[];
  const joined = (role: ArgumentRole): string => parts.map((part) => textIn(part, role)).join("\n");
  const [after, before] = [joined("after"), joined("before")];
  return after.trim() === "" && before.trim() === "" ? [] : [{ path, after, before }];
}

const joinedBy = (blocks: readonly EditBlock[], side: "after" | "before"): string =>
  blocks.map((block) => block[side]).join("\n");

/** Returns the names that a change introduces into a file, each once, in order. */
export function changedNames({ path, after, before }: FileChange): readonly string[] {
  const old = new Set([...namesOf(before), ...namesOf(path)]);
  return [...new Set(namesOf(after))].filter((name) => !old.has(name));
}

/** Returns how often each name stands in the text after a change more than before it. */
export function nameBalance({ after, before }: FileChange): ReadonlyMap<string, number> {
  const balance = new Map<string, number>();
  for (const name of namesOf(after)) balance.set(name, (balance.get(name) ?? 0) + 1);
  for (const name of namesOf(before)) balance.set(name, (balance.get(name) ?? 0) - 1);
  return balance;
}

export const namesOf = (text: string): readonly string[] => text.slice(0, MOST_READ).match(NAME) ?? [];

function patchIn(input: JsonValue): string | undefined {
  const texts = typeof input === "object" && input !== null ? Object.values(input).flat() : [input];
  return texts.find((text): text is string => typeof text === "string" && text.includes(PATCH));
}

function patchedFiles(patch: string): readonly FileChange[] {
  return patch
    .split(/^\*\*\* (?:Update|Add) File: /m)
    .slice(1)
    .map((section) => {
      const [path = "", ...lines] = section.split("\n");
      const of = (sign: string) => lines.filter((line) => line.startsWith(sign)).join("\n");
      return { path: path.trim(), after: of("+"), before: of("-") };
    });
}

function textIn(input: JsonValue, role: ArgumentRole): string {
  const text = toolArgument(input, role);
  return typeof text === "string" ? text : "";
}

/** A change that a text shows as a block; the path is empty when the text names none. */
export interface EditBlock extends FileChange {
  /** The lines of the block, with its path and its fence, from the first to before the last. */
  readonly from: number;
  readonly to: number;
}

const SEARCH = /^(?:<|-){5,9} ?SEARCH\b/;
const DIVIDE = /^={5,9}\s*$/;
const REPLACE = /^(?:>|\+){5,9} ?REPLACE\b/;
/** Backticks, or one of the tags that stand in their place around text with backticks of its own. */
const FENCE = /^(?:`{3,}|~{3,}|<\/?(?:source|sourcecode|codename|code|pre)>(?=\s*$))/;
/** Lines on where a block stands, below its mark. */
const BLOCK_PLACE = /^(?::(?:start|end)_line:|-{5,9}\s*$)/;
/** The most lines between a path and its block. */
const LINES_TO_PATH = 2;

/**
 * Reads blocks of `<<<<<<< SEARCH` or `------- SEARCH`, `=======` and `>>>>>>> REPLACE` or `+++++++ REPLACE`. Blocks in a
 * row may share the path above them.
 */
export function editBlocks(text: string): readonly EditBlock[] {
  if (!text.includes(" SEARCH")) return [];
  const lines = text.split("\n");
  const blocks: EditBlock[] = [];
  let path = "";
  for (let index = 0; index < lines.length; index++) {
    if (!SEARCH.test(lines[index] as string)) continue;
    const divide = lineAt(lines, index, DIVIDE);
    const end = divide < 0 ? -1 : lineAt(lines, divide, REPLACE);
    if (end < 0) break;
    const above = linesAbove(lines, Math.max(index - LINES_TO_PATH, blocks.at(-1)?.to ?? 0), index);
    path = above.path ?? path;
    const before = lines.slice(index + 1, divide).filter((line) => !BLOCK_PLACE.test(line));
    const to = FENCE.test(lines[end + 1] ?? "") ? end + 2 : end + 1;
    const after = lines.slice(divide + 1, end).join("\n");
    blocks.push({ path, before: before.join("\n"), after, from: above.from, to });
    index = end;
  }
  return blocks;
}

function lineAt(lines: readonly string[], from: number, mark: RegExp): number {
  for (let index = from + 1; index < lines.length; index++) if (mark.test(lines[index] as string)) return index;
  return -1;
}

function linesAbove(lines: readonly string[], first: number, index: number): { from: number; path: string | null } {
  let from = index;
  for (let at = index - 1; at >= first; at--) {
    const line = lines[at] as string;
    const path = namedPath(line);
    if (path === null && !FENCE.test(line)) break;
    from = at;
    if (path !== null) return { from, path };
  }
  return { from, path: null };
}

/** A line that only names a file, maybe in backticks or bold. */
const PATH_LINE =
  /^(?:#{1,6} )?[`*]{0,4}((?:[\w@.~+()[\]-]*[\\/])*(?:[\w@~+()[\]-][\w@.~+()[\]-]*\.\w{1,12}|Dockerfile|Makefile|\.\w[\w.-]*))[`*]{0,4}:?\s*$/;

/** Returns the path that a line names and nothing else; null for other lines. */
function namedPath(line: string): string | null {
  return line.length > 260 ? null : (PATH_LINE.exec(line)?.[1]?.trim() ?? null);
}

/** Fences of what is no file: shell commands and their output. */
const NO_FILE = /^(?:`{3,}|~{3,})(?:bash|sh|shell|console|zsh|powershell|diff|text|output)\b/;

/** Reads the files and diffs in fences that are to be written: whole files below their path, and unified diffs. */
export function fencedFiles(text: string): readonly EditBlock[] {
  const lines = text.split("\n");
  const blocks: EditBlock[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [fence] = FENCE.exec(lines[index] as string) ?? [];
    if (fence === undefined) continue;
    const end = lineAt(lines, index, new RegExp(`^${fence.replace("<", "</")}\\s*$`));
    if (end < 0) break;
    const body = lines.slice(index + 1, end);
    const path = index === 0 ? null : namedPath(lines[index - 1] as string);
    if (/^\S+diff\b/.test(lines[index] as string))
      blocks.push(...diffedFiles(body).map((change) => ({ ...change, from: index, to: end + 1 })));
    else if (path !== null && !NO_FILE.test(lines[index] as string))
      blocks.push({ path, after: body.join("\n"), before: "", from: index - 1, to: end + 1 });
    index = end;
  }
  return blocks;
}

function diffedFiles(lines: readonly string[]): readonly FileChange[] {
  const starts = lines.flatMap((line, index) => (line.startsWith("+++ ") ? [index] : []));
  return starts.flatMap((start, index) => {
    const path = (lines[start] as string)
      .slice(4)
      .replace(/^[ab]\//, "")
      .trim();
    const body = lines.slice(start + 1, starts[index + 1]).filter((line) => !/^--- (?=\S)/.test(line));
    const of = (sign: string): string =>
      body
        .filter((line) => line.startsWith(sign))
        .map((line) => line.slice(1))
        .join("\n");
    return path === "/dev/null" || path === "" ? [] : [{ path, after: of("+"), before: of("-") }];
  });
}
