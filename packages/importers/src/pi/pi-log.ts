import { type Message, ThreadfoldError } from "@threadfold/core";
import {
  ExportIds,
  type ExportNotes,
  type SourceLine,
  shortHexId,
  sourceLines,
  writtenLine,
} from "../exporting/session-exporter.ts";
import { countOf, type ForeignObject, nonEmptyText, objectOf } from "../reading/foreign-value.ts";

/** The version that pi writes. */
const CURRENT_VERSION = 3;

/** Roles of messages whose content pi's `context_edit` can replace. */
const EDITABLE_ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "toolResult", "custom"]);

/** A pi log to which entries are added at the end. Existing lines stay unchanged. */
export class PiLog {
  readonly #lines: string[];
  readonly #ids: ExportIds;
  readonly #entryByLine: ReadonlyMap<number, ForeignObject>;
  readonly #began: number;
  #leaf: string | null;

  private constructor(
    lines: readonly { readonly raw: string; readonly line: number; readonly fields?: ForeignObject }[],
  ) {
    this.#lines = lines.map(({ raw }) => raw);
    this.#began = lines.length;
    const entries = lines.flatMap(({ line, fields }): [number, ForeignObject][] =>
      nonEmptyText(fields?.id) === undefined || fields?.type === "session" ? [] : [[line, fields as ForeignObject]],
    );
    this.#entryByLine = new Map(entries);
    const ids = entries.map(([, { id }]) => String(id));
    this.#ids = new ExportIds(ids, shortHexId);
    const [, last] = entries.at(-1) ?? [];
    this.#leaf = nonEmptyText(last?.type === "leaf" ? last.targetId : last?.id) ?? null;
  }

  /**
   * Continues the log in a source. An older log is upgraded to the current version, as pi does. @throws ThreadfoldError
   * `WRONG_FORMAT`.
   */
  static of(source: string, notes: ExportNotes): PiLog {
    const lines = sourceLines(source);
    const header = lines.find(({ fields }) => fields !== undefined)?.fields;
    if (header?.type !== "session" || nonEmptyText(header.id) === undefined) {
      throw new ThreadfoldError("WRONG_FORMAT", "The source does not begin with the header of a pi session.");
    }
    const version = countOf(header.version) ?? 1;
    if (version < CURRENT_VERSION) notes.add("upgraded-log");
    return new PiLog(
      version >= CURRENT_VERSION
        ? lines.map(({ raw, line, fields }) => ({ raw, line, ...(fields && { fields }) }))
        : upgraded(lines, version),
    );
  }

  /** Starts a new log. */
  static fresh(sessionId: string, at: string): PiLog {
    const header = { type: "session", version: CURRENT_VERSION, id: sessionId, timestamp: at, cwd: "" };
    return new PiLog([{ line: 1, raw: JSON.stringify(header), fields: header }]);
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  /** How many lines were added. */
  get added(): number {
    return this.#lines.length - this.#began;
  }

  /** Returns the entry that a message was read from; undefined when the log does not contain it. */
  entryOf({ metadata }: Message): ForeignObject | undefined {
    const line = objectOf(metadata?.source)?.line;
    return typeof line === "number" ? this.#entryByLine.get(line) : undefined;
  }

  /** Appends an entry. @returns its id. */
  add(entry: object, key: string): string {
    const id = this.#ids.take(key);
    this.#lines.push(writtenLine({ ...entry, id, parentId: this.#leaf }, key));
    this.#leaf = id;
    return id;
  }
}

/** Checks whether pi can show different content for the entry. */
export function isEditable(entry: ForeignObject): boolean {
  return (
    entry.type === "custom_message" || (entry.type === "message" && EDITABLE_ROLES.has(objectOf(entry.message)?.role))
  );
}

/**
 * Upgrades a log as pi itself does: adds ids and parents to entries of version 1, and renames roles of version 2 to
 * those of version 3.
 */
function upgraded(lines: readonly SourceLine[], version: number) {
  const records = lines.filter(({ fields }) => fields !== undefined);
  const ids = new ExportIds([], shortHexId);
  const idByLine = new Map(records.map(({ line, raw }) => [line, ids.take(`${line}\n${raw}`)]));
  let parentId: string | null = null;
  return records.map(({ line, fields = {} }) => {
    let entry: ForeignObject = withKnownRole(fields);
    if (fields.type === "session") entry = { ...fields, version: CURRENT_VERSION };
    else if (version < 2) {
      entry = { ...keptById(entry, records, idByLine), id: idByLine.get(line), parentId };
      parentId = idByLine.get(line) ?? null;
    }
    return { line, raw: writtenLine(entry, `line ${line}`), fields: entry };
  });
}

function withKnownRole(entry: ForeignObject): ForeignObject {
  const message = objectOf(entry.message);
  return message?.role === "hookMessage" ? { ...entry, message: { ...message, role: "custom" } } : entry;
}

/** A compaction of version 1 refers to the first kept entry by its index among all entries. */
function keptById(
  entry: ForeignObject,
  records: readonly SourceLine[],
  idByLine: ReadonlyMap<number, string>,
): ForeignObject {
  const { firstKeptEntryIndex, ...rest } = entry;
  if (entry.type !== "compaction" || typeof firstKeptEntryIndex !== "number") return entry;
  const kept = records[firstKeptEntryIndex];
  const firstKeptEntryId = kept === undefined || kept.fields?.type === "session" ? undefined : idByLine.get(kept.line);
  return firstKeptEntryId === undefined ? rest : { ...rest, firstKeptEntryId };
}
