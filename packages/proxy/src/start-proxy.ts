import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Clock, ThreadfoldError } from "@threadfold/core";
import { closeNow, LOOPBACK, listenOnLoopback } from "@threadfold/integrations/loopback";
import { systemClock } from "@threadfold/session";
import type { Provider } from "./apis/provider-api.ts";
import { type ConversationOptions, Conversations } from "./conversations/conversations.ts";
import { Exchange, type ExchangeParts, type ProxiedTurn, problem, sendJson } from "./exchange.ts";
import { addressOf } from "./http/address.ts";
import { Upstream } from "./http/upstream.ts";

/** Where the providers' own APIs are, with the part of the path that their SDKs count as the address. */
export const PROVIDER_ADDRESSES: Readonly<Record<Provider, string>> = Object.freeze({
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
});

/** What a proxy is started with. */
export interface ProxyOptions extends ConversationOptions {
  /** Port of the loopback; a free one by default. */
  readonly port?: number;
  /** The token that addresses carry; a new one by default, null for none. */
  readonly token?: string | null;
  /** Base addresses in the place of {@link PROVIDER_ADDRESSES}, such as that of a gateway. */
  readonly upstream?: Partial<Record<Provider, string>>;
  /** The longest body of a request or answer that is looked into, in bytes; 64 MiB by default. */
  readonly maxBodyBytes?: number;
  /** How long a provider may say nothing, in milliseconds; ten minutes by default. */
  readonly silenceLimitMs?: number;
  /** Called with each turn of a conversation before it is sent. What it throws is ignored. */
  readonly onTurn?: (turn: ProxiedTurn) => void;
  /** Called with what kept a conversation from being read or folded; the request went out as it came. */
  readonly onProblem?: (error: unknown) => void;
  /** Dates the messages. The machine's clock by default. */
  readonly clock?: Clock;
}

/** A proxy that answers on the loopback. */
export interface RunningProxy {
  /** What a client takes for the base address of each provider. */
  readonly baseUrls: Readonly<Record<Provider, string>>;
  /** Ends what is under way, and appends the answers that no client handed back. The store stays open. */
  close(): Promise<void>;
}

/**
 * Starts a proxy between agents and their providers. What it cannot read is passed on as it is; so is every request of which
 * nothing is folded. A conversation is kept in a thread that is named after its opening; an edit or an answer that is made anew
 * goes on in a fork.
 *
 * @throws ThreadfoldError `USAGE` when the port cannot be listened on, `INVALID_CONFIG` for an upstream that is no address.
 */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { port = 0, token = randomBytes(24).toString("base64url"), clock = systemClock } = options;
  const { maxBodyBytes = 64 * 2 ** 20, silenceLimitMs = 600_000, onTurn, onProblem } = options;
  const upstream = new Upstream(silenceLimitMs);
  const complain = (error: unknown) => quietly(onProblem, error);
  const conversations = new Conversations(options, clock, complain);
  const parts: ExchangeParts = {
    upstream,
    conversations,
    addresses: addressesOf(options.upstream),
    maxBodyBytes,
    onTurn: (turn) => quietly(onTurn, turn),
    onProblem: complain,
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
  `The provider could not be asked: ${error instanceof Error ? error.message : String(error)}`;

function addressesOf(given: ProxyOptions["upstream"] = {}): Record<Provider, URL> {
  return {
    anthropic: addressFor("anthropic", given.anthropic),
    openai: addressFor("openai", given.openai),
  };
}

function addressFor(provider: Provider, text: string = PROVIDER_ADDRESSES[provider]): URL {
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text);
  throw new ThreadfoldError("INVALID_CONFIG", `upstream.${provider} is ${JSON.stringify(text)}, which is no address.`, {
    hint: "Write it as https://host/path.",
  });
}

/** A failing listener must not break anything. */
function quietly<Value>(listener: ((value: Value) => void) | undefined, value: Value): void {
  try {
    listener?.(value);
  } catch {
    // It is the host's own.
  }
}
