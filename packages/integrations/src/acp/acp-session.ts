import type { AgentContext, ClientCapabilities, SessionUpdate } from "@agentclientprotocol/sdk";

/** A session of the protocol, on the agent's side. */
export interface AcpSession {
  readonly sessionId: string;
  /** The client, as the context of every handler has it. */
  readonly client: Pick<AgentContext, "notify">;
  /** The `clientCapabilities` of `initialize`: what a client does not name it is not sent. */
  readonly capabilities?: ClientCapabilities | null | undefined;
}

/** Sends one update of a session. @throws what the connection throws. */
export function sendUpdate({ client, sessionId }: AcpSession, update: SessionUpdate): Promise<void> {
  return client.notify("session/update", { sessionId, update });
}
