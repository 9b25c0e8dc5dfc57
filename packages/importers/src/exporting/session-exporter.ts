import type { AgentThread, ChatMessage, CompactionPlan } from "@threadfold/core";
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
