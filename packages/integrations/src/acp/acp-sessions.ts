import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { CompactionEventListener } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import type { AcpSession } from "./acp-session.ts";
import { foldUpdates } from "./fold-updates.ts";

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
