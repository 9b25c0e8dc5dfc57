import type { ClientCapabilities, SessionUpdate } from "@agentclientprotocol/sdk";
import type { CompactionEventListener, Message, ThreadEntry } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import { type AcpSession, foldUpdates, planUpdate, sendUpdate } from "./fold-updates.ts";
import { messageUpdates } from "./messages.ts";

/** A session of the protocol with the thread that it is kept in. */
export interface AcpThread {
  readonly acp: AcpSession;
  readonly session: ContextSession;
}

/** Opens the thread of a session; `onEvent` tells the client what folding does. */
export type OpenAcpThread = (sessionId: string, onEvent: CompactionEventListener) => Promise<ContextSession>;

/** The sessions that are open over one connection, each with a thread of its own. */
export class AcpSessions {
  readonly #openThread: OpenAcpThread;
  readonly #open = new Map<string, Promise<AcpThread>>();
  /** The `clientCapabilities` of `initialize`: set them before a session is opened. */
  capabilities: ClientCapabilities | null | undefined;

  constructor(open: OpenAcpThread) {
    this.#openThread = open;
  }

  /** A session: opened when it is asked for first, the same from then on. @throws what opening its thread throws. */
  open({ sessionId, client }: Pick<AcpSession, "sessionId" | "client">): Promise<AcpThread> {
    const known = this.#open.get(sessionId);
    if (known !== undefined) return known;
    const opened = this.#begin({ sessionId, client, capabilities: this.capabilities });
    this.#open.set(sessionId, opened);
    // One that could not be opened is tried anew.
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
 * Sends what was said in a thread, folded or not, and then how full the window is. All of it, with each compaction where it
 * took place, is the answer to `session/load`; `since` sends the messages from that place in the thread on, such as what a
 * prompt led to. What stands on side branches is left out.
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
 * Sends how full the window is and, where the prices of all models are known, what the thread's calls have cost by now. Reads the
 * whole journal, so once a prompt is often enough.
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
