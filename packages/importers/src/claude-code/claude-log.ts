import { type Message, sha256, ThreadfoldError } from "@threadfold/core";
import { ExportIds, sourceLines, uuidOf, writtenLine } from "../exporting/session-exporter.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf } from "../reading/foreign-value.ts";

/** Fields that every line repeats; their values come from the newest line of the main conversation. */
const COMMON_FIELDS = ["isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "slug"] as const;

/** A Claude Code log to which lines are added at the end. Existing lines stay unchanged. */
export class ClaudeLog {
  readonly #lines: string[];
  readonly #began: number;
  readonly #ids: ExportIds;
  readonly #byLine: ReadonlyMap<number, ForeignObject>;
  readonly #common: ForeignObject;
  #leaf: string | null;

  private constructor(
    lines: readonly { readonly raw: string; readonly line: number; readonly fields: ForeignObject | undefined }[],
    common: ForeignObject,
  ) {
    this.#lines = lines.map(({ raw }) => raw);
    this.#began = lines.length;
    const entries = lines.flatMap(({ line, fields }): [number, ForeignObject][] =>
      fields !== undefined && nonEmptyText(fields.uuid) !== undefined ? [[line, fields]] : [],
    );
    this.#byLine = new Map(entries);
    this.#ids = new ExportIds(
      entries.map(([, { uuid }]) => String(uuid)),
      uuidOf,
    );
    const newest = (entries.findLast(([, fields]) => fields.isSidechain !== true) ?? entries.at(-1))?.[1];
    this.#leaf = nonEmptyText(newest?.uuid) ?? null;
    this.#common = newest === undefined ? common : commonOf(newest);
  }

  /** Continues the log in a source. @throws ThreadfoldError `WRONG_FORMAT`. */
  static of(source: string): ClaudeLog {
    const lines = sourceLines(source);
    if (!lines.some(({ fields }) => nonEmptyText(fields?.uuid) !== undefined && fields?.sessionId !== undefined)) {
      throw new ThreadfoldError("WRONG_FORMAT", "The source has no line of a Claude Code session.");
    }
    return new ClaudeLog(lines, {});
  }

  /** Starts a new log. Its session id is a UUID, because Claude Code finds sessions by it. */
  static fresh(threadId: string): ClaudeLog {
    const sessionId = UUID.test(threadId) ? threadId : uuidOf(sha256(threadId));
    return new ClaudeLog([], {
      isSidechain: false,
      userType: "external",
      cwd: "",
      sessionId,
      version: "2.1.39",
      gitBranch: "",
    });
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  /** How many lines were added. */
  get added(): number {
    return this.#lines.length - this.#began;
  }

  /** Returns the lines that a message was read from, in order; none when the log does not contain it. */
  linesOf({ metadata }: Message): readonly ForeignObject[] {
    const source = objectOf(metadata?.source);
    const numbers = listOf(source?.lines) ?? [source?.line];
    return numbers.flatMap((line): readonly ForeignObject[] => {
      const fields = typeof line === "number" ? this.#byLine.get(line) : undefined;
      return fields === undefined ? [] : [fields];
    });
  }

  /**
   * Appends a line. When it starts a new chain, its predecessor is named in a separate field, as after a compaction.
   */
  add(fields: object, key: string, startsChain = false): void {
    const uuid = this.#ids.take(key);
    const place = startsChain ? { parentUuid: null, logicalParentUuid: this.#leaf } : { parentUuid: this.#leaf };
    this.#lines.push(writtenLine({ ...place, ...this.#common, ...fields, uuid }, key));
    this.#leaf = uuid;
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const commonOf = (line: ForeignObject): ForeignObject =>
  Object.fromEntries(COMMON_FIELDS.flatMap((field) => (line[field] === undefined ? [] : [[field, line[field]]])));
