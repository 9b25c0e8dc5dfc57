import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Clock, checkOptions, checkStore, type OptionKinds, ThreadfoldError } from "@threadfold/core";
import { closeNow, LOOPBACK, listenOnLoopback } from "@threadfold/integrations/loopback";
import { systemClock } from "@threadfold/session";
import type { Provider } from "./apis/provider-api.ts";
import { type ConversationOptions, Conversations } from "./conversations/conversations.ts";
import { Exchange, type ExchangeParts, type ProxiedTurn, problem, sendJson } from "./exchange.ts";
import { addressOf } from "./http/address.ts";
import { Upstream } from "./http/upstream.ts";

/** The base addresses of the providers' own APIs, including the part of the path that their SDKs expect in it. */
export const PROVIDER_ADDRESSES: Readonly<Record<Provider, string>> = Object.freeze({
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
});

/** The options for starting a proxy. */
export interface ProxyOptions extends ConversationOptions {
  /** The port on the loopback interface; a free one by default. */
  readonly port?: number;
  /** The token that addresses must contain; a random one by default, null for none. */
  readonly token?: string | null;
  /** Base addresses to use instead of {@link PROVIDER_ADDRESSES}, such as that of a gateway. */
  readonly upstream?: Partial<Record<Provider, string>>;
  /** The longest body of a request or answer that is read, in bytes; 64 MiB by default. */
  readonly maxBodyBytes?: number;
  /** How long a provider may be silent, in milliseconds; ten minutes by default. */
  readonly silenceLimitMs?: number;
  /** Called with each turn of a conversation before it is sent. Errors that it throws are ignored. */
  readonly onTurn?: (turn: ProxiedTurn) => void;
  /**
   * Called with errors that prevent reading or folding a conversation, or recording an answer. Request and answer are
   * still passed on; a `MODEL_CALL_FAILED` is about the answer.
   */
  readonly onProblem?: (error: unknown) => void;
  /** The clock for the times of messages; the machine's by default. */
  readonly clock?: Clock;
}

const OPTIONS: OptionKinds<ProxyOptions> = {
  ...{ store: "any", preset: "object", config: "object", maxOpenConversations: "figure" },
  ...{ port: "any", token: "any", upstream: "object", maxBodyBytes: "figure", silenceLimitMs: "figure" },
  ...{ onTurn: "call", onProblem: "call", clock: "clock" },
};

/** A proxy that is listening on the loopback interface. */
export interface RunningProxy {
  /** The base address that a client must use for each provider. */
  readonly baseUrls: Readonly<Record<Provider, string>>;
  /** Aborts requests in progress and appends the answers that no client sent back. The store stays open. */
  close(): Promise<void>;
}

/**
 * Starts a proxy between agents and their providers. Requests that it cannot read are passed on unchanged, and so are
 * requests in which nothing is folded. Each conversation is kept in a thread that is named after its opening messages;
 * an edited message or a regenerated answer continues in a fork.
 *
 * @throws ThreadfoldError `USAGE` when it cannot listen on the port; `INVALID_CONFIG` without a store, for an option
 * that makes no sense, or when an upstream is not a valid address.
 */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  checkOptions("options", options, OPTIONS);
  checkStore(options.store);
  const { port = 0, token = randomBytes(24).toString("base64url"), clock = systemClock } = options;
  const { maxBodyBytes = 64 * 2 ** 20, silenceLimitMs = 600_000, onTurn, onProblem } = options;
  const upstream = new Upstream(silenceLimitMs);
  const complain = (error: unknown) => quietly(onProblem, error);
  const known = new Set<string>();
  const conversations = new Conversations(options, clock, complain);
  const parts: ExchangeParts = {
    upstream,
    conversations,
    addresses: addressesOf(options.upstream),
    maxBodyBytes,
    onTurn: (turn) => quietly(onTurn, turn),
    onProblem: complain,
    onLastingProblem: (lasting) => {
      if (!known.has(lasting.message)) complain(lasting);
      known.add(lasting.message);
    },
  };
  const underWay = new Set<Promise<void>>();
  const server = createServer((incoming, outgoing) => {
    const answered = answer(parts, token, incoming, outgoing).finally(() => underWay.delete(answered));
    underWay.add(answered);
  });
  const listened = await listenOnLoopback(server, port);
  const root = `http://${LOOPBACK}:${listened}${token === null ? "" : `/${token}`}`;
  return {
    baseUrls: { anthropic: `${root}/anthropic`, openai: `${root}/openai` },
    async close() {
      await closeNow(server);
      await Promise.all(underWay);
      upstream.close();
      await conversations.rest();
    },
  };
}

async function answer(
  parts: ExchangeParts,
  token: string | null,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const address = addressOf(incoming, token);
  if ("status" in address) return sendJson(outgoing, address.status, problem(address.message));
  const exchange = new Exchange(parts, incoming, outgoing, address);
  try {
    await exchange.run();
  } catch (error) {
    if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy();
    else sendJson(outgoing, isTimeOut(error) ? 504 : 502, problem(reasonOf(error)));
  }
}

const isTimeOut = (error: unknown): boolean => ThreadfoldError.isInstance(error) && error.code === "TIMED_OUT";

const reasonOf = (error: unknown): string =>
  `The request to the provider failed: ${error instanceof Error ? error.message : String(error)}`;

function addressesOf(given: ProxyOptions["upstream"] = {}): Record<Provider, URL> {
  return {
    anthropic: addressFor("anthropic", given.anthropic),
    openai: addressFor("openai", given.openai),
  };
}

function addressFor(provider: Provider, text: string = PROVIDER_ADDRESSES[provider]): URL {
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text);
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `upstream.${provider} is ${JSON.stringify(text)}, which is not an address.`,
    {
      hint: "Write it as https://host/path.",
    },
  );
}

/** A failing listener must not break anything. */
function quietly<Value>(listener: ((value: Value) => void) | undefined, value: Value): void {
  try {
    listener?.(value);
  } catch {
    // A listener's errors are the host's own concern.
  }
}
