import { type ForeignObject, listOf, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecord, SourceRecords } from "../reading/source-records.ts";
import type { SourcePointer } from "../source-pointer.ts";

/** The events of a run. */
export interface FoundEvents {
  readonly events: readonly { readonly value: unknown; readonly at: SourcePointer }[];
  /** The document around the events; empty when they stand alone. */
  readonly frame: ForeignObject;
}

const NO_FRAME: ForeignObject = Object.freeze({});

/** Finds the events of a run: the `history` of a line of `output.jsonl`, a list of events, or one event a line. */
export function findEvents({ records }: SourceRecords): FoundEvents | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  if (records.length === 1 || holdsRun(first.value)) return inRecord(first);
  if (!records.some(({ value }) => isEvent(value))) return undefined;
  return { events: records.map(({ value, line }) => ({ value, at: { line } })), frame: NO_FRAME };
}

/** Says whether a value is the document of one run. */
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

export function isEvent(value: unknown): boolean {
  const event = objectOf(value);
  if (event === undefined || event.role !== undefined) return false;
  if (textOf(event.action) !== undefined) return objectOf(event.args) !== undefined;
  return textOf(event.observation) !== undefined && (objectOf(event.extras) ?? textOf(event.content)) !== undefined;
}
