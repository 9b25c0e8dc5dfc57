import type { ClientCapabilities, SessionUpdate } from "@agentclientprotocol/sdk";
import type { CompactionEventListener, Message, ThreadEntry } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import { type AcpSession, foldUpdates, planUpdate, sendUpdate } from "./fold-updates.ts";
import { messageUpdates } from "./messages.ts";

/** A protocol session together with the thread that stores it. */
export interface AcpThread {
  readonly acp: AcpSession;
  readonly session: ContextSession;
}

/** Opens the thread of a session; `onEvent` reports to the client what folding does. */
export type OpenAcpThread = (sessionId: string, onEvent: CompactionEventListener) => Promise<ContextSession>;

/** The sessions that are open over one connection, each with its own thread. */
export class AcpSessions {
  readonly #openThread: OpenAcpThread;
  readonly #open = new Map<string, Promise<AcpThread>>();
  /** The `clientCapabilities` from `initialize`; set them before opening a session. */
  capabilities: ClientCapabilities | null | undefined;

  constructor(open: OpenAcpThread) {
    this.#openThread = open;
  }

  /** Returns a session, opening it on first use. @throws what opening its thread throws. */
  open({ sessionId, client }: Pick<AcpSession, "sessionId" | "client">): Promise<AcpThread> {
    const known = this.#open.get(sessionId);
    if (known !== undefined) return known;
    const opened = this.#begin({ sessionId, client, capabilities: this.capabilities });
    this.#open.set(sessionId, opened);
    // A session that could not be opened is tried again on the next call.
    opened.catch(() => this.#open.delete(sessionId));
    return opened;
  }

  /** Closes every session. @throws what closing one throws. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    this.#open.clear();
    await Promise.all(opened.flatMap((one) => (one.status === "fulfilled" ? [one.value.session.close()] : [])));
  }

  async #begin(acp: AcpSession): Promise<AcpThread> {
    return { acp, session: await this.#openThread(acp.sessionId, foldUpdates(acp)) };
  }
}

/**
 * Sends the messages of a thread, folded or not, followed by how full the window is. Without `since` it sends the whole
 * history, with each compaction at the point where it happened, which is what answers `session/load`. With `since` it
 * sends the messages from that position in the thread on, such as those that a prompt produced. Messages on side
 * branches are left out.
 *
 * @throws what the store or the connection throws.
 */
export async function sendHistory({ session, acp }: AcpThread, since?: number): Promise<void> {
  if (since === undefined) await sendWholeHistory({ session, acp });
  else for (const message of session.thread.messagesBetween(since)) await sendMessage(acp, message);
  await sendUsage({ session, acp });
}

async function sendWholeHistory({ session, acp }: AcpThread): Promise<void> {
  await session.loadHistory();
  const { thread, threadId, store } = session;
  const folds = acp.capabilities?.session?.compaction == null ? [] : await store.plans.listPlans(threadId);
  let place = 0;
  for (const { version, threadVersion } of folds) {
    await sendEntries(acp, thread.entriesBetween(place, threadVersion));
    place = threadVersion;
    const plan = await store.plans.getPlan(threadId, version);
    if (plan !== null) await sendUpdate(acp, planUpdate(plan));
  }
  await sendEntries(acp, thread.entriesBetween(place));
}

async function sendEntries(acp: AcpSession, entries: readonly ThreadEntry[]): Promise<void> {
  for (const entry of entries) if (entry.type === "message") await sendMessage(acp, entry.message);
}

async function sendMessage(acp: AcpSession, message: Message): Promise<void> {
  if (message.branch !== undefined) return;
  for (const update of messageUpdates(message)) await sendUpdate(acp, update);
}

/**
 * Sends how full the window is and, when the prices of all models are known, what the thread's calls have cost so far.
 * It reads the whole journal, so once per prompt is often enough.
 *
 * @throws what the store or the connection throws.
 */
export async function sendUsage({ session, acp }: AcpThread): Promise<void> {
  const { dollars } = (await session.bill()).totals;
  const update: SessionUpdate = {
    sessionUpdate: "usage_update",
    used: session.stats().tokens,
    size: session.config.maxInputTokens,
    ...(dollars !== null && { cost: { amount: dollars, currency: "USD" } }),
  };
  await sendUpdate(acp, update);
}
