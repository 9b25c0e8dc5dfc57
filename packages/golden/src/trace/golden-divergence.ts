import {
  asMessageId,
  asPlanId,
  asThreadId,
  type ChatMessage,
  minimumCachedTokens,
  type PromptCachePrice,
  promptCachePriceOfFormat,
} from "@threadfold/core";
import {
  COMPACTION_RENDER_FORMAT_VERSION,
  type DiffedRendering,
  type PrefixDivergence,
  prefixDiff,
  type RenderedMessage,
} from "@threadfold/renderer";
import type { PromptTrace, TracedMessage } from "./prompt-trace.ts";

/** Where a prompt diverges from its golden one, why, and the cost of that with a prompt cache. */
export interface GoldenDivergence extends PrefixDivergence {
  /** Tokens of the golden prompt that a cache still has for the new one. */
  readonly keptTokens: number;
  /** Tokens of the golden prompt whose cache entries are wasted: the new prompt cannot read them. */
  readonly lostTokens: number;
  /**
   * Cost of reading the lost tokens and of writing as many anew, in uncached input tokens; null without known prices.
   */
  readonly price: { readonly id: string; readonly read: number; readonly write: number } | null;
}

/** Compares a prompt with its golden one; null when the prompt only extends it, so that nothing cached is lost. */
export function goldenDivergence(golden: PromptTrace, current: PromptTrace): GoldenDivergence | null {
  const divergence = prefixDiff(rendering(golden), rendering(current));
  if (divergence === null) return null;
  const price = promptCachePriceOfFormat(golden.format);
  const keptTokens = tokensKept(golden, divergence, price);
  const lostTokens = tokensBefore(golden, golden.messages.length) - keptTokens;
  return { ...divergence, keptTokens, lostTokens, price: price === undefined ? null : billOf(lostTokens, price) };
}

/** Tokens of a prompt before one of its messages. */
const tokensBefore = ({ frameTokens, messages }: PromptTrace, index: number): number =>
  messages.slice(0, index).reduce((sum, { tokens }) => sum + tokens, frameTokens);

function tokensKept(
  golden: PromptTrace,
  { message, kind }: PrefixDivergence,
  price: PromptCachePrice | undefined,
): number {
  if (message < 0 || kind === "format") return 0;
  const shared = tokensBefore(golden, message);
  return price !== undefined && shared < minimumCachedTokens(price) ? 0 : shared;
}

const billOf = (tokens: number, { id, read, write }: PromptCachePrice) => ({
  id,
  read: Math.round(tokens * read),
  write: Math.round(tokens * write),
});

/**
 * A trace in the form of the rendering that it was made from, with digests as its texts, which is enough to compare.
 */
function rendering({ format, system, tools, messages }: PromptTrace): DiffedRendering {
  return {
    request: {
      system,
      tools: [{ name: tools, inputSchema: {} }],
      messages: messages.map(({ role, digest }): ChatMessage => {
        return { role, parts: [{ type: "text", text: digest }], sources: [] };
      }),
    },
    manifest: {
      formatVersion: COMPACTION_RENDER_FORMAT_VERSION,
      format,
      threadId: asThreadId("golden"),
      threadVersion: 0,
      planId: asPlanId("golden"),
      planVersion: 0,
      systemSources: [],
      firstEdited: null,
      firstUnedited: null,
      messages: messages.map(renderedMessage),
      prefixDigests: [],
    },
  };
}

function renderedMessage(traced: TracedMessage, index: number): RenderedMessage {
  const { role, action, tokens, record, sources } = traced;
  return {
    index,
    role,
    action,
    tokens,
    parts: 1,
    sources: sourcesOf(sources),
    ...(record !== undefined && { record }),
  };
}

/** The first and last id of a span and its length, which stand for all the ids in it. */
function sourcesOf(sources: TracedMessage["sources"]): RenderedMessage["sources"] {
  if (sources === undefined) return [];
  const [first, last, count] = sources;
  return (count === 1 ? [first] : [first, last, `${count}`]).map(asMessageId);
}
