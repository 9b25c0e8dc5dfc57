import { AppendOnlySet, type MessageId } from "@threadfold/core";
import type {
  LeftOutReason,
  NamedWarningKind,
  PlainWarningKind,
  ReasonedWarningKind,
  RenderWarning,
} from "./render-warning.ts";

/** What a warning is about. */
interface Matter {
  readonly kind: RenderWarning["kind"];
  readonly reason?: string;
}

interface Collected {
  readonly matter: Matter;
  readonly names: Set<string> | null;
  readonly messageIds: Set<MessageId>;
}

/**
 * Collects the warnings about a piece of a request: one entry per kind and reason, no matter how many messages are
 * affected.
 */
export class WarningLog {
  readonly #collected = new Map<string, Collected>();

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

  /** Its entries by kind and reason. */
  get entries(): Iterable<readonly [key: string, entry: Readonly<Collected>]> {
    return this.#collected;
  }

  #note(matter: Matter, messageIds: readonly MessageId[], names?: readonly string[]): void {
    const key = `${matter.kind} ${matter.reason ?? ""}`;
    let known = this.#collected.get(key);
    if (known === undefined) {
      known = { matter, names: names === undefined ? null : new Set(), messageIds: new Set() };
      this.#collected.set(key, known);
    }
    for (const name of names ?? []) known.names?.add(name);
    for (const id of messageIds) known.messageIds.add(id);
  }
}

interface SettledEntry {
  readonly matter: Matter;
  readonly names: ReadonlySet<string> | null;
  readonly messageIds: AppendOnlySet<MessageId>;
}

/**
 * The warnings about the beginning of a growing request, where every message may have some: an immutable value that
 * grows by those of whole pieces, at the cost of these.
 */
export class SettledWarnings {
  readonly #entries: ReadonlyMap<string, SettledEntry>;

  private constructor(entries: ReadonlyMap<string, SettledEntry>) {
    this.#entries = entries;
  }

  static none(): SettledWarnings {
    return new SettledWarnings(new Map());
  }

  append(log: WarningLog): SettledWarnings {
    const entries = new Map(this.#entries);
    for (const [key, { matter, names, messageIds }] of log.entries) {
      const before = entries.get(key);
      const told = before?.names ?? null;
      entries.set(key, {
        matter,
        names: told === null || names === null ? (told ?? names) : new Set([...told, ...names]),
        messageIds: (before?.messageIds ?? AppendOnlySet.empty<MessageId>()).append(messageIds),
      });
    }
    return new SettledWarnings(entries);
  }

  /** Returns all warnings, with those of what is not settled. */
  followedBy(log: WarningLog): readonly RenderWarning[] {
    const open = new Map(log.entries);
    return [...new Set([...this.#entries.keys(), ...open.keys()])].map((key) =>
      warningOf(this.#entries.get(key), open.get(key)),
    );
  }
}

function warningOf(settled: SettledEntry | undefined, open: Readonly<Collected> | undefined): RenderWarning {
  const { matter, names } = (open ?? settled) as SettledEntry | Collected;
  const before = settled?.messageIds ?? AppendOnlySet.empty<MessageId>();
  const more = [...(open?.messageIds ?? [])].filter((id) => !before.has(id));
  const told = names === null ? null : new Set([...(settled?.names ?? []), ...names]);
  return {
    ...matter,
    ...(told !== null && { names: [...told] }),
    messageIds: before.items.followedBy(more),
  } as RenderWarning;
}
