import {
  type AgentThread,
  type ArtifactId,
  type ArtifactStore,
  handlingOf,
  type Message,
  type MessageId,
  problemOf,
  toolResultText,
  visibleText,
} from "@threadfold/core";

/** A body that the artifact store did not accept. The message stays as it was. */
export interface StorageProblem {
  readonly messageId: MessageId;
  /** Describes the failure without quoting the store's message. */
  readonly problem: string;
  /** What the store threw. */
  readonly cause: unknown;
}

/** Writes bodies to the artifact store during one fold, each once, and remembers what the store refused. */
export interface BodyArchive {
  /**
   * False for a body that the store refused, and for every new body once it has refused several and is probably down.
   */
  mayStore(ordinal: number): boolean;
  /**
   * Stores the bodies of these messages that are not stored yet, each with its message's sensitivity.
   *
   * @returns true if all of them are stored.
   * @throws the signal's reason when it is aborted.
   */
  store(ordinals: readonly number[]): Promise<boolean>;
  /**
   * Stores a text that was made from messages, with their combined sensitivity.
   *
   * @throws what the store throws.
   */
  storeText(text: string, messages: readonly Message[]): Promise<ArtifactId>;
  /** Returns the artifact of a stored body; undefined when it is not stored. */
  artifactOf(ordinal: number): ArtifactId | undefined;
  readonly problems: readonly StorageProblem[];
}

/** Number of refusals after which nothing more is stored in this fold. */
const MAX_REFUSALS = 3;

/**
 * Creates an archive for one fold (S40).
 *
 * @param onProblem called with each body that the store refuses.
 */
export function bodyArchive(
  thread: AgentThread,
  artifacts: Pick<ArtifactStore, "store">,
  owner: { readonly tenantId: string | null; readonly now: string; readonly ttlSeconds: number | null },
  signal?: AbortSignal,
  onProblem: (problem: StorageProblem) => void = () => undefined,
): BodyArchive {
  const stored = new Map<number, ArtifactId>();
  const refused = new Map<number, StorageProblem>();
  const mayStore = (ordinal: number): boolean =>
    stored.has(ordinal) || (!refused.has(ordinal) && refused.size < MAX_REFUSALS);

  const storeText = (text: string, messages: readonly Message[]): Promise<ArtifactId> =>
    artifacts.store(text, {
      threadId: thread.id,
      tenantId: owner.tenantId,
      createdAt: owner.now,
      ttlSeconds: owner.ttlSeconds,
      sensitivity: handlingOf(messages).sensitivity,
      mediaType: "text/plain",
    });

  async function storeOne(ordinal: number): Promise<void> {
    signal?.throwIfAborted();
    const message = thread.messageAt(ordinal) as Message;
    try {
      stored.set(ordinal, await storeText(bodyText(message), [message]));
    } catch (cause) {
      signal?.throwIfAborted();
      const problem = { messageId: message.id, problem: problemOf(cause), cause };
      refused.set(ordinal, problem);
      onProblem(problem);
    }
  }

  return {
    mayStore,
    async store(ordinals) {
      for (const ordinal of ordinals) if (!stored.has(ordinal) && mayStore(ordinal)) await storeOne(ordinal);
      return ordinals.every((ordinal) => stored.has(ordinal));
    },
    storeText,
    artifactOf: (ordinal) => stored.get(ordinal),
    get problems() {
      return [...refused.values()];
    },
  };
}

function bodyText(message: Message): string {
  const part = message.parts[0];
  return part?.type === "tool-result" ? toolResultText(part.result.content) : visibleText(message);
}
