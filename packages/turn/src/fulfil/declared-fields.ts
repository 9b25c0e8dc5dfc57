import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  parseJson,
  type ToolDurabilityPolicy,
  type ToolResultContent,
  type ToolResultEnvelope,
  toolResultText,
} from "@threadfold/core";

/** Maximum length of a text that is parsed as JSON, in UTF-16 code units. */
const LONGEST_JSON = 4_000_000;

/**
 * Returns the fields of a result that every fold keeps: the key fields that the tool declared, and those that the
 * policy names, by their paths. They are looked up in a JSON body, or in a text body that contains JSON, whatever its
 * layout.
 */
export function declaredFields(
  { keyFields, content }: Pick<ToolResultEnvelope, "keyFields" | "content">,
  { mustPreserveFields }: Pick<ToolDurabilityPolicy, "mustPreserveFields">,
): JsonObject {
  if (mustPreserveFields.length === 0) return keyFields ?? {};
  const body = jsonBody(content);
  const named = mustPreserveFields.flatMap((path): readonly (readonly [string, JsonValue])[] => {
    const value = valueAt(body, path);
    return value === undefined ? [] : [[path, value]];
  });
  return { ...keyFields, ...Object.fromEntries(named) };
}

function jsonBody(content: ToolResultContent): JsonValue | undefined {
  switch (content.type) {
    case "json":
      return content.value;
    case "text":
      return jsonText(content.text);
    case "blocks":
      for (const block of content.blocks) {
        const value = block.type === "text" ? jsonText(block.text) : undefined;
        if (value !== undefined) return value;
      }
      return undefined;
  }
}

/** Returns the JSON that a text consists of, or that starts on a new line after some introductory text. */
function jsonText(text: string): JsonValue | undefined {
  if (text.length > LONGEST_JSON) return undefined;
  const start = /^\s*[{[]/m.exec(text);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  if (start === null || end < start.index) return undefined;
  try {
    return parseJson(text.slice(start.index, end + 1)) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Returns the value at a path: names joined by dots, list items by index, all items by `*`. A field name that itself
 * contains dots takes precedence over the same string read as a path.
 */
function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return placeIn(value, path);
  const fields = value as JsonObject;
  if (Object.hasOwn(fields, path)) return fields[path];
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const name = path.slice(0, dot);
    const found = Object.hasOwn(fields, name) ? valueAt(fields[name], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function placeIn(list: readonly JsonValue[], path: string): JsonValue | undefined {
  const [place = "", ...names] = path.split(".");
  const rest = names.join(".");
  const within = (item: JsonValue | undefined): JsonValue | undefined => (rest === "" ? item : valueAt(item, rest));
  if (place !== "*") return /^\d+$/.test(place) ? within(list[Number(place)]) : undefined;
  const found = list.map(within).filter((item) => item !== undefined);
  return found.length === 0 ? undefined : found;
}

/**
 * Maximum length of a value in a summary, in UTF-16 code units of its JSON; of a longer one, only the beginning is
 * kept.
 */
const LONGEST_VALUE = 2_000;

/** Returns fields as a summary keeps them: long values are cut to their beginning, with a note of their full length. */
export function boundedFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, boundedValue(value)]));
}

function boundedValue(value: JsonValue | undefined): JsonValue {
  const text = typeof value === "string" ? value : canonicalJson(value ?? null);
  if (text.length <= LONGEST_VALUE) return value ?? null;
  return `${text.slice(0, LONGEST_VALUE).toWellFormed()} [… ${text.length} characters in all; a search of the thread finds the rest]`;
}

/** How much of a body's beginning and end is read, in UTF-16 code units: tools report what matters there. */
const HEAD = 2_000;
const TAIL = 1_000;
const MAX_LINE = 160;

/**
 * Returns what a placeholder shows of a result: the key fields that the tool declared, the fields that the policy
 * names, and for a text without such fields, its exit code and its first informative line.
 */
export function resultKeyFields(result: ToolResultEnvelope, policy: ToolDurabilityPolicy): JsonObject {
  const declared = declaredFields(result, policy);
  if (Object.keys(declared).length > 0 || result.durability === "ephemeral" || policy.durability === "ephemeral")
    return declared;
  return textKeyFields(toolResultText(result.content), result.outcome === "failure");
}

function textKeyFields(text: string, failed: boolean): JsonObject {
  const lines = `${text.slice(0, HEAD)}\n${text.length > HEAD ? text.slice(Math.max(HEAD, text.length - TAIL)) : ""}`
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const exit = lines
    .map((line) => /\b(?:exit(?:ed with)?(?: code| status)?|returncode)\W{0,3}(\d{1,3})\b/i.exec(line)?.[1])
    .find(Boolean);
  // A file that was read may mention errors; the result itself has one only if it failed.
  const hasFailed = failed || (exit !== undefined && Number(exit) !== 0);
  const error = hasFailed ? lines.find((line) => ERROR.test(line)) : undefined;
  const telling = error ?? lines.find((line) => SAYS_SOMETHING.test(line));
  return {
    ...(exit !== undefined && { exitCode: Number(exit) }),
    ...(telling !== undefined && {
      [telling === error ? "error" : "begins"]: telling.slice(0, MAX_LINE).toWellFormed(),
    }),
  };
}

const ERROR = /\b(?:error|exception|failed|failure|fatal|traceback|not found|denied)\b/i;
/** Matches informative lines; a line of only brackets, for example, is not. */
const SAYS_SOMETHING = /[\p{L}\p{N}]{3}/u;
