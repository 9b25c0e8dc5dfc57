import type { ContextSession, FormatId, PreparedRequest, Summarizer, ThreadId } from "threadfold";
import type { ProviderProtocol } from "../provider/provider-protocol.ts";

/** What a host's agent works with. */
export interface AgentWorld {
  /** Base address of the provider's double, without the endpoint's path. */
  readonly url: string;
  /** The model to ask for. */
  readonly model: string;
  /** Open, on a thread of its own. The host appends to it and asks it for requests. */
  readonly session: ContextSession;
  /** The session's summarizer where the run has one of its own, for hosts that open sessions themselves. */
  readonly summarizer?: Summarizer;
  /** Hears of each request that the host makes in a session of its own, on a thread of the same store. */
  readonly sent: (request: Pick<PreparedRequest, "tokens"> & { readonly threadId: ThreadId }) => void;
  /** What the user says, one message a turn. */
  readonly userMessages: readonly string[];
}

/** An agent in one host: the host's own loop, with Threadfold in the place that the host has for it. */
export interface HostAgent {
  readonly id: string;
  /** The protocol that the host's client speaks. */
  readonly protocol: ProviderProtocol;
  /** The format of the session's requests, where the host has one of its own; that of the protocol by default. */
  readonly format?: FormatId;
  /** False where the host makes its requests out of its own log, so that there are none to replay. True by default. */
  readonly recordsRequests?: boolean;
  /** Works through the user's messages, each until the model makes no more calls. */
  run(world: AgentWorld): Promise<void>;
}
