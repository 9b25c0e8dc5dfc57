import type { Part, ToolOutcomeStatus } from "@threadfold/core";
import { countOf, type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecord, SourceRecords } from "../reading/source-records.ts";

/** The events found for a run. */
export interface FoundEvents {
  readonly events: readonly { readonly value: unknown; readonly at: SourcePointer }[];
  /** The document around the events; empty when there is none. */
  readonly frame: ForeignObject;
}

const NO_FRAME: ForeignObject = Object.freeze({});

/** Finds the events of a run: the `history` in a line of `output.jsonl`, a list of events, or one event per line. */
export function findEvents({ records }: SourceRecords): FoundEvents | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  if (records.length === 1 || holdsRun(first.value)) return inRecord(first);
  if (!records.some(({ value }) => isEvent(value))) return undefined;
  return { events: records.map(({ value, line }) => ({ value, at: { line } })), frame: NO_FRAME };
}

/** Checks whether a value is the document of one run. */
export function holdsRun(value: unknown): boolean {
  const history = listOf(objectOf(value)?.history);
  return history?.some((entry) => isEvent(entry) || (listOf(entry) ?? []).some(isEvent)) === true;
}

function inRecord({ value, line }: SourceRecord): FoundEvents | undefined {
  if (holdsRun(value)) {
    const frame = objectOf(value) ?? NO_FRAME;
    return { events: placed(listOf(frame.history) ?? [], line, "/history"), frame };
  }
  const list = listOf(value);
  return list?.some(isEvent) === true ? { events: placed(list, line, ""), frame: NO_FRAME } : undefined;
}

/** Older runs pair each action with its observation in a list of two. */
function placed(values: readonly unknown[], line: number, path: string): FoundEvents["events"] {
  return values.flatMap((value, index) => {
    const pair = listOf(value);
    return pair === undefined
      ? [{ value, at: { line, path: `${path}/${index}` } }]
      : placed(
          pair.map((entry) => (Array.isArray(entry) ? undefined : entry)),
          line,
          `${path}/${index}`,
        );
  });
}

function isEvent(value: unknown): boolean {
  const event = objectOf(value);
  if (event === undefined || event.role !== undefined) return false;
  if (textOf(event.action) !== undefined) return objectOf(event.args) !== undefined;
  return textOf(event.observation) !== undefined && (objectOf(event.extras) ?? textOf(event.content)) !== undefined;
}

/** Returns the text of an observation as the model reads it: what ran, and how it ended according to the log. */
export function observationText(event: ForeignObject): string {
  const content = textOf(event.content) ?? "";
  const metadata = objectOf(objectOf(event.extras)?.metadata);
  return `${textOf(metadata?.prefix) ?? ""}${content}${textOf(metadata?.suffix) ?? ""}`;
}

/**
 * Returns the outcome of an observation: an error or a positive exit code is a failure; -1 means that the command is
 * still running.
 */
export function outcomeOf(event: ForeignObject): ToolOutcomeStatus {
  const exitCode = objectOf(objectOf(event.extras)?.metadata)?.exit_code;
  if (event.observation === "error" || event.observation === "user_rejected") return "failure";
  if (exitCode === -1) return "partial";
  return event.success === false || (countOf(exitCode) ?? 0) > 0 ? "failure" : "success";
}

/** Returns what a recall retrieved: knowledge of the repository and of micro-agents, each as a separate text. */
export function recalledParts(event: ForeignObject): readonly Part[] {
  const extras = objectOf(event.extras);
  const knowledge = (listOf(extras?.microagent_knowledge) ?? []).map((entry) => objectOf(entry)?.content);
  const texts = [event.content, extras?.repo_instructions, extras?.additional_agent_instructions, ...knowledge];
  return texts.flatMap((text): readonly Part[] => {
    const own = nonEmptyText(text);
    return own === undefined ? [] : [{ type: "text", text: own }];
  });
}

/** Returns the text of a message together with its images. */
export function messageParts({ args }: ForeignObject): readonly Part[] {
  const fields = objectOf(args);
  const images = (listOf(fields?.image_urls) ?? []).flatMap((url): readonly Part[] => {
    const own = nonEmptyText(url);
    return own === undefined ? [] : [{ type: "image", source: { kind: "url", url: own } }];
  });
  return [{ type: "text", text: textOf(fields?.content) ?? "" }, ...images];
}
