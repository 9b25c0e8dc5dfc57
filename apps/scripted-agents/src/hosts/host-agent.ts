import type { ContextSession, FormatId, PreparedRequest, Summarizer, ThreadId } from "threadfold";
import type { ProviderProtocol } from "../provider/provider-protocol.ts";

/** The environment of a host's agent. */
export interface AgentWorld {
  /** Base address of the provider's double, without the path of the endpoint. */
  readonly url: string;
  /** The model to ask for. */
  readonly model: string;
  /** An open session on a separate thread. The host appends to it and prepares requests with it. */
  readonly session: ContextSession;
  /** The session's summarizer if the run sets one, for hosts that open sessions themselves. */
  readonly summarizer?: Summarizer;
  /** Called for each request that the host makes in a session it opened itself, on a thread of the same store. */
  readonly sent: (request: Pick<PreparedRequest, "tokens"> & { readonly threadId: ThreadId }) => void;
  /** The user's messages, one per turn. */
  readonly userMessages: readonly string[];
}

/** Works through the user's messages, each until the model makes no more calls. */
export type RunHostAgent = (world: AgentWorld) => Promise<void>;

/** An agent in one host: the host's own loop, with Threadfold where the host provides for it. */
export interface HostAgent {
  readonly id: string;
  /** The protocol that the host's client speaks. */
  readonly protocol: ProviderProtocol;
  /** The format of the session's requests, if the host needs another than the protocol's. */
  readonly format?: FormatId;
  /** False if the host makes its requests from its own log, so that there are none to replay. True by default. */
  readonly recordsRequests?: boolean;
  /** Loads the host's libraries, which may take seconds, and its agent. */
  load(): Promise<RunHostAgent>;
}
