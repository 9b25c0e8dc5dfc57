import {
  AgentThread,
  type AppendOptions,
  type AppendResult,
  type Artifact,
  type CompactionPlan,
  type CompactionStore,
  canonicalJson,
  EventLoopTurns,
  type FoundMessage,
  isSealedText,
  type Message,
  type MessageId,
  type MessageInput,
  nextThreadLink,
  type Page,
  type PinEntry,
  type PinLiftedEntry,
  parseJson,
  parsePlan,
  type ResumedThread,
  restoreRunInSteps,
  START_OF_THREAD,
  type Steps,
  sha256,
  THREAD_CHAIN_START,
  ThreadAddition,
  type ThreadEntry,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  type ThreadInfo,
  type ThreadRanges,
  type ThreadStore,
  type ToolCallId,
  threadEntryInputSchema,
} from "@threadfold/core";
import type { StoreInspector } from "../inspection/inspector.ts";
import { isSealedPlan } from "../shared/plans.ts";
import {
  checkIdempotencyKey,
  checkThreadId,
  isSealedEntry,
  openedWithoutKeys,
  SEALED_NAME,
} from "../shared/store-basics.ts";
import { openedOutline, openedPlan } from "./encrypted-plans.ts";
import type { Sealers } from "./key-guard.ts";
import { aboutLifting, aboutPin, envelopeIn, type Sealer, textIn } from "./sealer.ts";

/** Stores threads whose entries are sealed. */
export class EncryptedThreads implements ThreadStore {
  readonly #inner: ThreadStore;
  readonly #sealers: Sealers;

  constructor(inner: ThreadStore, sealers: Sealers) {
    this.#inner = inner;
    this.#sealers = sealers;
  }

  async append(
    threadId: ThreadId,
    entries: readonly ThreadEntryInput[],
    options: AppendOptions,
  ): Promise<AppendResult> {
    checkThreadId(threadId);
    checkIdempotencyKey(options.idempotencyKey);
    const turns = new EventLoopTurns();
    await turns.finish(checkEntries(entries), options.signal);
    // When two writers begin a thread at once with different keys, one must lose, whatever version they expect.
    for (let mayClaim = options.expectedVersion === "any"; ; mayClaim = false) {
      const { sealer, isFirst } = await this.#sealers.toSealFirst(threadId);
      const sealed = await turns.finish(sealEntries(sealer, entries), options.signal);
      if (!mayClaim || !isFirst) return this.#inner.append(threadId, sealed, options);
      try {
        return await this.#inner.append(threadId, sealed, { ...options, expectedVersion: "no-thread" });
      } catch (error) {
        if (!ThreadfoldError.isInstance(error) || error.code !== "VERSION_CONFLICT") throw error;
      }
    }
  }

  async load(threadId: ThreadId, options?: { readonly atVersion?: number }): Promise<AgentThread | null> {
    const sealed = await this.#inner.load(threadId, options);
    if (sealed === null) return null;
    const sealer = await this.#sealers.toOpen(threadId);
    const { serialized, digest } = await openEntries(sealer, sealed.entries);
    return new EventLoopTurns().finish(AgentThread.restoreInSteps(threadId, serialized, digest));
  }

  list(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<ThreadInfo>> {
    return this.#inner.list(options);
  }
}

/**
 * Checks whether a thread that was read from a store is still sealed. A store that was opened without keys returns what
 * an encrypted store keeps as if somebody had said it.
 */
export async function isSealedThread(store: ThreadfoldStore, thread: AgentThread): Promise<boolean> {
  // What opened may itself be an envelope that somebody pasted.
  if (store.threads instanceof EncryptedThreads) return false;
  const held = [...thread.entriesInMemory()];
  const [oldest, newest] = [held[0], held.at(-1)];
  if (oldest === undefined || newest === undefined) return false;
  if (!isSealedEntry(oldest.entry) && !isSealedEntry(newest.entry)) return false;
  const range = { fromVersion: 0, toVersion: 1 };
  const [first] = oldest.version === 1 ? [oldest.entry] : ((await store.ranges?.loadRange(thread.id, range)) ?? []);
  return first !== undefined && isSealedEntry(first);
}

/** Refuses a thread that is still sealed. @throws ThreadfoldError `KEY_MISSING`. */
export async function refuseSealedThread(store: ThreadfoldStore, thread: AgentThread): Promise<void> {
  if (await isSealedThread(store, thread)) throw openedWithoutKeys(thread.id);
}

/**
 * Refuses an artifact that is still sealed, whatever is known of its thread: a thread may have no entries yet, or be in
 * the clear while its artifacts are kept elsewhere.
 *
 * @throws ThreadfoldError `KEY_MISSING`.
 */
export function refuseSealedArtifact(store: ThreadfoldStore, { artifactId, content, metadata }: Artifact): void {
  if (store.threads instanceof EncryptedThreads || !isSealedText(content)) return;
  throw openedWithoutKeys(metadata.threadId, `Artifact ${artifactId} of thread ${metadata.threadId}`);
}

/** Maximum number of parts that an error names. */
const MOST_NAMED = 5;

/**
 * Names what a store holds of a thread in the clear, and what it holds that cannot be read, which nobody knows to be
 * sealed: the first few. What an erasure emptied is not held.
 */
export async function clearParts(inspector: StoreInspector, threadId: ThreadId): Promise<readonly string[]> {
  const clear: string[] = [];
  const look = (part: string, body: string | null, isSealed: (body: string) => boolean): void => {
    if (body !== null && clear.length < MOST_NAMED && !readsAs(isSealed, body)) clear.push(part);
  };
  for await (const { version, body } of inspector.entries(threadId)) look(`entry ${version}`, body, isSealedBody);
  for await (const { version, body } of inspector.plans(threadId))
    look(`plan ${version}`, body, (text) => isSealedPlan(parsePlan(text)));
  for await (const { artifactId, content } of inspector.artifacts(threadId))
    look(`artifact ${artifactId}`, content, isSealedText);
  return clear;
}

const isSealedBody = (body: string): boolean => isSealedEntry(parseJson(body) as unknown as ThreadEntry);

function readsAs(isSealed: (body: string) => boolean, body: string): boolean {
  try {
    return isSealed(body);
  } catch {
    return false;
  }
}

/** Checks entries before they are sealed, because sealed ones all look valid. */
function* checkEntries(entries: readonly ThreadEntryInput[]): Steps<void> {
  const messages = new ThreadAddition(START_OF_THREAD, 0, new Map(), () => undefined);
  for (const entry of entries) {
    yield;
    if (entry.type === "pin-lifted") {
      if (!threadEntryInputSchema.safeParse(entry).success)
        throw new ThreadfoldError("INVALID_PIN", `Lifting pin ${String(entry.pinId)}: the entry is incomplete.`);
    } else if (entry.type === "pin") new ThreadAddition(START_OF_THREAD, 0, new Map(), () => undefined).add(entry);
    else messages.add(entry);
  }
}

/**
 * Reads parts of threads whose entries are sealed. The inner store checks what it reads against the hashes of what is
 * stored; the opened thread's own digest at a plan is sealed with the plan, because it cannot be computed from a part.
 */
export class EncryptedRanges implements ThreadRanges {
  readonly #inner: ThreadRanges;
  /** The plans as stored. */
  readonly #plans: CompactionStore;
  readonly #sealers: Sealers;

  constructor(inner: ThreadRanges, plans: CompactionStore, sealers: Sealers) {
    this.#inner = inner;
    this.#plans = plans;
    this.#sealers = sealers;
  }

  async resume(threadId: ThreadId): Promise<ResumedThread | null> {
    const sealer = await this.#opening(threadId);
    const sealed = await this.#inner.resume(threadId);
    const opened = sealed === null ? null : await openedOutline(sealer, sealed.plan);
    if (sealed === null || opened === null) return null;
    const { plan, threadDigest } = opened;
    const before = sealed.thread.atVersion(plan.threadVersion);
    const shown = [...before.entriesInMemory()];
    const entries = await openRun(
      sealer,
      shown.map(({ entry }) => entry),
    );
    const held = shown.map(({ version }, index) => ({ version, entry: entries[index] as ThreadEntry }));
    const tail = await openRun(sealer, sealed.thread.entriesBetween(plan.threadVersion));
    const { length, position } = before;
    const window = { version: plan.threadVersion, length, position, digest: threadDigest, held };
    return Object.freeze({ thread: AgentThread.resume(threadId, window, tail), plan });
  }

  async loadPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    const sealer = await this.#opening(threadId);
    const sealed = await this.#inner.loadPlan(threadId, version);
    if (sealed === null) return null;
    const outlined = await openedOutline(sealer, sealed);
    if (outlined !== null) return outlined.plan;
    // Without a head, only the whole plan reveals its original id.
    const whole = await this.#plans.getPlan(threadId, version);
    return whole === null ? null : openedPlan(sealer, whole);
  }

  async loadRange(
    threadId: ThreadId,
    range: { readonly fromVersion: number; readonly toVersion?: number },
  ): Promise<readonly ThreadEntry[]> {
    const sealer = await this.#opening(threadId);
    return Object.freeze(await openRun(sealer, await this.#inner.loadRange(threadId, range)));
  }

  async findMessages(threadId: ThreadId, ids: readonly MessageId[]): Promise<readonly FoundMessage[]> {
    const sealer = await this.#opening(threadId);
    const found = await this.#inner.findMessages(threadId, ids);
    const opened = await openRun(
      sealer,
      found.map(({ message }) => ({ type: "message", message })),
    );
    const messages = opened as readonly { readonly message: Message }[];
    return Object.freeze(
      found.map(({ version }, index) => Object.freeze({ version, message: messages[index]?.message as Message })),
    );
  }

  #opening(threadId: ThreadId): Promise<Sealer> {
    return this.#sealers.toOpen(threadId);
  }
}

async function openRun(sealer: Sealer, sealed: Iterable<ThreadEntry>): Promise<readonly ThreadEntry[]> {
  const { serialized, digest } = await openEntries(sealer, sealed);
  return new EventLoopTurns().finish(restoreRunInSteps(serialized, THREAD_CHAIN_START, digest));
}

/**
 * Seals an entry: a store sees its ids, role, time, branch and figures, but nothing that anybody said. Messages are
 * sealed as a whole, pins by their text and liftings by their reason, so that opening returns the entry as it was
 * passed in.
 */
function sealEntry(sealer: Sealer, entry: ThreadEntryInput): ThreadEntryInput {
  switch (entry.type) {
    case "message":
      return { type: "message", message: sealMessage(sealer, entry.message) };
    case "pin":
      return { ...entry, pin: { ...entry.pin, text: sealer.seal("pin", aboutPin(entry), entry.pin.text) } };
    case "pin-lifted":
      return { ...entry, reason: sealer.seal("pin-lifted", aboutLifting(entry), entry.reason) };
  }
}

/** Returns the entry that was sealed, at the place that the store assigned. @throws ThreadfoldError `UNSEAL_FAILED`. */
async function openEntry(sealer: Sealer, entry: ThreadEntry): Promise<ThreadEntry> {
  switch (entry.type) {
    case "message":
      return { type: "message", message: await openMessage(sealer, entry.message) };
    case "pin":
      return openPin(sealer, entry);
    case "pin-lifted":
      return openLifting(sealer, entry);
  }
}

/** Opens entries, and returns them as canonical JSON with the digest of a thread that consists of them. */
async function openEntries(
  sealer: Sealer,
  sealed: Iterable<ThreadEntry>,
): Promise<{ readonly serialized: readonly string[]; readonly digest: string }> {
  const serialized: string[] = [];
  let digest = THREAD_CHAIN_START;
  const turns = new EventLoopTurns();
  for (const entry of sealed) {
    if (turns.isDue) await turns.turn();
    const text = canonicalJson(await openEntry(sealer, entry));
    serialized.push(text);
    digest = nextThreadLink(digest, sha256(text));
  }
  return { serialized, digest };
}

function* sealEntries(sealer: Sealer, entries: readonly ThreadEntryInput[]): Steps<readonly ThreadEntryInput[]> {
  const sealed: ThreadEntryInput[] = [];
  for (const entry of entries) {
    sealed.push(sealEntry(sealer, entry));
    yield;
  }
  return sealed;
}

function sealMessage(sealer: Sealer, message: MessageInput): MessageInput {
  const { id, role, createdAt, branch, origin, usage } = message;
  const { ordinal: _ordinal, turn: _turn, step: _step, ...input } = message as Message;
  const text = sealer.seal("message", id, canonicalJson(input));
  const callId = SEALED_NAME as ToolCallId;
  const result = { toolName: SEALED_NAME, callId, outcome: "success", content: { type: "text", text } } as const;
  return {
    id,
    role,
    createdAt,
    parts: [role === "tool" ? { type: "tool-result", result } : { type: "text", text }],
    ...(branch !== undefined && { branch }),
    ...(origin !== undefined && { origin }),
    ...(usage !== undefined && { usage }),
  };
}

async function openMessage(sealer: Sealer, message: Message): Promise<Message> {
  const { ordinal, turn, step } = message;
  const input = parseJson(await sealer.open("message", message.id, envelopeIn(message))) as MessageInput;
  return { ...input, ordinal, turn, step };
}

async function openPin(sealer: Sealer, entry: PinEntry): Promise<PinEntry> {
  return { ...entry, pin: { ...entry.pin, text: await sealer.openText(textIn(entry)) } };
}

async function openLifting(sealer: Sealer, entry: PinLiftedEntry): Promise<PinLiftedEntry> {
  return { ...entry, reason: await sealer.openText(textIn(entry)) };
}
