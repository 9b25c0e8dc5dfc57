import type { ExportWarning } from "../session-exporter.ts";

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
