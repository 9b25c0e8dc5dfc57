import {
  type AgentThread,
  actionOf,
  type ChatMessage,
  type CompactionPlan,
  type Message,
  type SyntheticKind,
  sha256,
  ThreadfoldError,
  visibleText,
} from "@threadfold/core";
import { type ForeignObject, objectOf, parseJson } from "../reading/foreign-value.ts";
import type { KnownFormat } from "../session/imported-session.ts";

/** The formats that can be exported. */
export type ExportFormat = Extract<KnownFormat, "pi" | "claude-code">;

/** The folded thread that an exporter writes. */
export interface SessionExport {
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
  /** The messages that the plan shows: those of its request in the neutral format. */
  readonly window: readonly ChatMessage[];
  /**
   * The log that the thread was imported from, when it is in the export format. It is kept byte for byte, and entries
   * are added at its end. Without it the log is written anew from the messages.
   */
  readonly source?: string;
  /** Time of the export, for the entries that are added. ISO 8601 in UTC. */
  readonly at: string;
}

/** Something that the tool's format cannot express. */
export interface ExportWarning {
  /** Stable name of the warning. */
  readonly kind: "left-out-branch" | "left-out-system" | "left-out-reasoning" | "left-out-part" | "upgraded-log";
  readonly message: string;
}

/** A session file for another tool. */
export interface ExportedSession {
  readonly format: ExportFormat;
  readonly text: string;
  /** Number of lines added after the source. */
  readonly added: number;
  readonly warnings: readonly ExportWarning[];
}

/** Exports to one tool's session file, so that the tool continues with what the plan shows. */
export interface SessionExporter {
  readonly format: ExportFormat;
  /**
   * Returns the session file; equal input gives equal bytes. @throws ThreadfoldError `WRONG_FORMAT` when the source is
   * not in the format.
   */
  export(session: SessionExport): ExportedSession;
}

/** Counts what a format could not express, by kind. */
export class ExportNotes {
  readonly #counts = new Map<ExportWarning["kind"], number>();

  add(kind: ExportWarning["kind"]): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  get warnings(): readonly ExportWarning[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, message: MESSAGES[kind](count) }));
  }
}

const MESSAGES: Readonly<Record<ExportWarning["kind"], (count: number) => string>> = {
  "left-out-branch": (count) => `${count} messages on side branches that the log does not have were left out.`,
  "left-out-system": (count) => `${count} system texts were left out: the tool brings its own.`,
  "left-out-reasoning": (count) =>
    `${count} thoughts were left out: they are signed by another provider, or not at all.`,
  "left-out-part": (count) => `${count} parts that only another provider understands were left out.`,
  "upgraded-log": () =>
    "The log is of an older version; it was upgraded to the newest one, as the tool does when it opens it.",
};

/** A message of the log that the window still shows, either unchanged or with another body. */
export interface TailMessage {
  readonly message: Message;
  readonly chat: ChatMessage;
  /** True when the plan shows a different body from the log's. */
  readonly isChanged: boolean;
}

/**
 * A window as tools with a single compaction can show it: what goes into the summary, and the log messages after it.
 */
interface SplitWindow {
  /** Summaries, pointers and pins, and messages before the last fold that are kept word for word. */
  readonly head: readonly ChatMessage[];
  readonly tail: readonly TailMessage[];
}

/** Messages that rendering adds for a single request. A tool that reads the session adds its own. */
const OF_THE_REQUEST: ReadonlySet<SyntheticKind | undefined> = new Set([
  "continuation",
  "missing-result",
  "rehydration",
]);

/**
 * Returns a line of a log as JSON.
 *
 * @param what names the line in an error.
 * @throws ThreadfoldError `SOURCE_TOO_LARGE` when it has something of the source that can be read, but is nested too
 *   deeply to be written.
 */
export function writtenLine(fields: object, what: string): string {
  try {
    return JSON.stringify(fields);
  } catch (cause) {
    throw new ThreadfoldError("SOURCE_TOO_LARGE", `A line is nested too deeply to be written: ${what}.`, {
      details: { what },
      cause,
      hint: "Export without the source: the log is then written anew from the messages.",
    });
  }
}

/**
 * Splits a window after the last message that replaces several. Window messages that replace no message of the log, and
 * summaries that the tool itself wrote earlier, go into the head wherever they are: a log cannot show them anywhere
 * else.
 */
export function splitWindow(window: readonly ChatMessage[], thread: AgentThread, plan: CompactionPlan): SplitWindow {
  const shown = window.filter(({ synthetic }) => !OF_THE_REQUEST.has(synthetic));
  const split = shown.findLastIndex(standsForSpan) + 1;
  const head = shown.slice(0, split);
  const tail: TailMessage[] = [];
  for (const chat of shown.slice(split)) {
    const message = inPlace(chat, thread);
    if (message === null) head.push(chat);
    else tail.push({ message, chat, isChanged: actionOf(plan, message.id).action !== "include" });
  }
  return { head, tail };
}

const standsForSpan = ({ sources, synthetic }: ChatMessage): boolean =>
  synthetic === "summary" || (synthetic !== undefined && sources.length > 1);

/** The log message that this window message shows at its own position; null when there is none. */
function inPlace({ role, sources }: ChatMessage, thread: AgentThread): Message | null {
  const [id, ...others] = sources;
  const message = id === undefined || others.length > 0 ? undefined : thread.message(id);
  const isOwn = message !== undefined && message.role === role && role !== "system";
  return isOwn && message.origin !== "compaction" ? message : null;
}

/** Returns the head of a window as the text of one summary. Messages kept word for word are labeled with their role. */
export const headText = (head: readonly ChatMessage[]): string => head.map(textOf).join("\n\n");

function textOf({ role, parts, synthetic }: ChatMessage): string {
  const text = visibleText({ parts });
  return synthetic === undefined ? `[${role}, word for word]\n${text}` : text;
}

/** A line of a log. */
export interface SourceLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly raw: string;
  /** Undefined for a line that is blank or not a JSON object. */
  readonly fields: ForeignObject | undefined;
}

/** Returns the lines of a log, including blank and broken ones, so that it can be written back unchanged. */
export function sourceLines(text: string): readonly SourceLine[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((raw, index) => {
    const parsed = parseJson(raw);
    return { line: index + 1, raw, fields: parsed.ok ? objectOf(parsed.value) : undefined };
  });
}

/** Makes ids for entries added to a log: equal for equal input, and unique within the log. */
export class ExportIds {
  readonly #taken: Set<string>;
  readonly #shape: (digest: string) => string;

  /** @param shape turns 64 hexadecimal digits into an id in the tool's form. */
  constructor(taken: Iterable<string>, shape: (digest: string) => string) {
    this.#taken = new Set(taken);
    this.#shape = shape;
  }

  /** Returns an unused id for a key. */
  take(key: string): string {
    for (let attempt = 0; ; attempt++) {
      const id = this.#shape(sha256(`${key}\n${attempt}`));
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      return id;
    }
  }
}

/** Returns the first eight hexadecimal digits, pi's form of ids. */
export const shortHexId = (digest: string): string => digest.slice(0, 8);

/** Returns a version 8 UUID made from a digest. */
export const uuidOf = (digest: string): string =>
  [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
