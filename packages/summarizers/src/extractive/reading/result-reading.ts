import type { JsonValue, ToolResultContent, ToolResultEnvelope } from "@threadfold/core";
import type { CallReading } from "./call-reading.ts";
import type { Place } from "./place.ts";

/** A tool result: how it ended, and the ends of its body. */
export interface ResultReading {
  readonly place: Place;
  readonly envelope: ToolResultEnvelope;
  /** The call that it answers, when the span holds it. */
  readonly call: CallReading | null;
  /** The body as text; of a JSON body the texts and numbers in it, one per line, bounded. */
  readonly text: string;
  readonly exitCode: number | null;
  readonly failed: boolean;
}

/** JSON bodies are read so far, in UTF-16 code units. */
const MAX_JSON_TEXT = 16_000;
const EXIT_HEAD = 200;
const EXIT_TAIL = 300;
const EXIT_CODE =
  /(?:exit(?:ed)?(?:[ _](?:code|status))?(?: with)?(?:[ _](?:code|status))?|return(?:ed)?[ _]?code|returncode|non-zero exit status)["'>]?\s*[:=]?\s*(-?\d{1,5})\b/i;
const EXIT_FIELDS = ["exit_code", "exitCode", "returncode", "return_code", "exit_status"];

/** Reads one result. `call` is what it answers. */
export function readResult(envelope: ToolResultEnvelope, call: CallReading | null, place: Place): ResultReading {
  const text = contentText(envelope.content);
  const exitCode = call === null || call.kind === "shell" || call.kind === "other" ? exitCodeOf(envelope, text) : null;
  const failed = envelope.outcome === "failure" || (exitCode !== null && exitCode !== 0);
  return { place, envelope, call, text, exitCode, failed };
}

function contentText(content: ToolResultContent): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "blocks":
      return content.blocks.length === 1 && content.blocks[0]?.type === "text"
        ? content.blocks[0].text
        : content.blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    case "json":
      return jsonText(content.value);
  }
}

function jsonText(value: JsonValue): string {
  const texts: string[] = [];
  let room = MAX_JSON_TEXT;
  const visit = (item: JsonValue | undefined): void => {
    if (room <= 0 || item === null || item === undefined || typeof item === "boolean") return;
    if (typeof item === "object") return (Array.isArray(item) ? item : Object.values(item)).forEach(visit);
    const text = String(item).slice(0, room);
    room -= text.length + 1;
    texts.push(text);
  };
  visit(value);
  return texts.join("\n");
}

function exitCodeOf({ content, keyFields }: ToolResultEnvelope, text: string): number | null {
  const structured = content.type === "json" ? content.value : keyFields;
  const known = structured === undefined ? null : exitField(structured, 0);
  if (known !== null) return known;
  const ends = text.length <= EXIT_HEAD + EXIT_TAIL ? text : `${text.slice(0, EXIT_HEAD)}\n${text.slice(-EXIT_TAIL)}`;
  const found = EXIT_CODE.exec(ends);
  return found === null ? null : Number(found[1]);
}

/** The exit code in the result's own fields, or one level below them. */
function exitField(value: JsonValue, depth: number): number | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const fields = value as Readonly<Record<string, JsonValue | undefined>>;
  for (const name of EXIT_FIELDS) {
    const code = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof code === "number") return code;
  }
  if (depth > 0) return null;
  for (const item of Object.values(fields)) {
    const code = item === undefined ? null : exitField(item, depth + 1);
    if (code !== null) return code;
  }
  return null;
}
