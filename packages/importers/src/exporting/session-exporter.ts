import type { AgentThread, ChatMessage, CompactionPlan } from "@threadfold/core";
import type { KnownFormat } from "../session/imported-session.ts";

/** The formats that can be written. */
export type ExportFormat = Extract<KnownFormat, "pi" | "claude-code">;

/** A folded thread as an exporter gets it. */
export interface SessionExport {
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
  /** The messages that the plan shows: those of the request that it makes in the neutral format. */
  readonly window: readonly ChatMessage[];
  /**
   * The log that the thread was imported from, when it is in the format that is written. It comes out again byte for byte
   * and grows at its end. Without it the log is written anew from the messages.
   */
  readonly source?: string;
  /** When the session is written, for the entries that are added. ISO 8601 in UTC. */
  readonly at: string;
}

/** Something that the tool's format cannot say. */
export interface ExportWarning {
  /** Stable name of the kind of warning. */
  readonly kind: "left-out-branch" | "left-out-system" | "left-out-reasoning" | "left-out-part" | "upgraded-log";
  readonly message: string;
}

/** A session file for another tool. */
export interface ExportedSession {
  readonly format: ExportFormat;
  readonly text: string;
  /** Lines that were added behind the source. */
  readonly added: number;
  readonly warnings: readonly ExportWarning[];
}

/** Writes the session file of one tool, so that the tool continues with what the plan shows. */
export interface SessionExporter {
  readonly format: ExportFormat;
  /** Equal input makes equal bytes. @throws ThreadfoldError `WRONG_FORMAT` when the source is not in the format. */
  export(session: SessionExport): ExportedSession;
}

/** Gathers what a format could not say, each kind once with how often it happened. */
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
  "left-out-branch": (count) => `${count} messages of side branches that the log does not have were left out.`,
  "left-out-system": (count) => `${count} system texts were left out: the tool brings its own.`,
  "left-out-reasoning": (count) => `${count} thoughts were left out: they are signed by another provider, or by none.`,
  "left-out-part": (count) => `${count} parts were left out that only another provider understands.`,
  "upgraded-log": () =>
    "The log is of an older version; it was brought to the newest one, as the tool does when it opens it.",
};
