import type { JsonValue } from "@threadfold/core";

/** A change of one file by a call: the text that was put in, and the text that it took the place of. */
export interface FileChange {
  readonly path: string;
  readonly after: string;
  readonly before: string;
}

/** Fields of a call's input that hold what stands in a file behind and before the call. */
const AFTER = ["new_string", "new_str", "new_text", "newText", "newString", "content", "file_text", "new_source"];
const BEFORE = ["old_string", "old_str", "old_text", "oldText", "oldString"];
const PATH = ["file_path", "path", "filePath", "filename", "notebook_path", "target_file", "absolute_path", "file"];
const PATCH = "*** Begin Patch";
/** Longer texts name more than a summary has room for. In UTF-16 code units. */
const MOST_READ = 40_000;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]{3,}/gu;

/** What a call changes in files: in one by its fields or a list of edits, in several by a patch. */
export function fileChanges(input: JsonValue): readonly FileChange[] {
  const patch = patchIn(input);
  if (patch !== undefined) return patchedFiles(patch);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const path = textIn(input, PATH);
  if (path === "") return [];
  const parts = [input, ...Object.values(input).filter(Array.isArray).flat()] as readonly JsonValue[];
  const joined = (names: readonly string[]): string => parts.map((part) => textIn(part, names)).join("\n");
  const after = joined(AFTER);
  return after.trim() === "" ? [] : [{ path, after, before: joined(BEFORE) }];
}

/** The names that came into a file with a change, each once, in order. */
export function changedNames({ path, after, before }: FileChange): readonly string[] {
  const old = new Set([...namesOf(before), ...namesOf(path)]);
  return [...new Set(namesOf(after))].filter((name) => !old.has(name));
}

const namesOf = (text: string): readonly string[] => text.slice(0, MOST_READ).match(NAME) ?? [];

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

function textIn(value: JsonValue, names: readonly string[]): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
  const fields = value as Readonly<Record<string, JsonValue | undefined>>;
  for (const name of names) {
    const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof found === "string" && found !== "") return found;
  }
  return "";
}
