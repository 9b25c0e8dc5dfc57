import type { MessageId } from "@threadfold/core";
import type {
  LeftOutReason,
  NamedWarningKind,
  PlainWarningKind,
  ReasonedWarningKind,
  RenderWarning,
} from "./render-warning.ts";

interface Collected {
  readonly warning: { readonly kind: RenderWarning["kind"]; readonly reason?: string };
  readonly names: Set<string> | null;
  readonly messageIds: Set<MessageId>;
}

/** Collects the warnings of one rendering: one entry per kind and reason, no matter how many messages are affected. */
export class WarningLog {
  readonly #collected = new Map<string, Collected>();

  /** Combines the warnings of two logs, those of the first log first. */
  static join(first: WarningLog, second: WarningLog): WarningLog {
    const joined = new WarningLog();
    for (const { warning, names, messageIds } of [...first.#collected.values(), ...second.#collected.values()])
      joined.#note(warning, [...messageIds], names === null ? undefined : [...names]);
    return joined;
  }

  add(kind: PlainWarningKind, messageIds: readonly MessageId[]): void {
    this.#note({ kind }, messageIds);
  }

  leaveOut<Kind extends ReasonedWarningKind>(
    kind: Kind,
    reason: LeftOutReason[Kind],
    messageIds: readonly MessageId[],
  ): void {
    this.#note({ kind, reason }, messageIds);
  }

  named(kind: NamedWarningKind, names: readonly string[], messageIds: readonly MessageId[] = []): void {
    this.#note({ kind }, messageIds, names);
  }

  get warnings(): readonly RenderWarning[] {
    return [...this.#collected.values()].map(
      ({ warning, names, messageIds }) =>
        ({ ...warning, ...(names !== null && { names: [...names] }), messageIds: [...messageIds] }) as RenderWarning,
    );
  }

  #note(warning: Collected["warning"], messageIds: readonly MessageId[], names?: readonly string[]): void {
    const key = `${warning.kind} ${warning.reason ?? ""}`;
    let known = this.#collected.get(key);
    if (known === undefined) {
      known = { warning, names: names === undefined ? null : new Set(), messageIds: new Set() };
      this.#collected.set(key, known);
    }
    for (const name of names ?? []) known.names?.add(name);
    for (const id of messageIds) known.messageIds.add(id);
  }
}
