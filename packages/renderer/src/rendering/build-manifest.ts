import { type ChatRequest, digestOf, type MessageId, type PlanRecord, sha256, spanStart } from "@threadfold/core";
import { bindingFor } from "../capabilities/requirements-for.ts";
import { firstEditedOrdinal, messagesSeen } from "../conform/first-edit.ts";
import type { RenderInput } from "../input/render-input.ts";
import {
  COMPACTION_RENDER_FORMAT_VERSION,
  type RenderedMessage,
  type RenderedRecord,
  type RenderManifest,
} from "../input/render-manifest.ts";
import type { Draft } from "../neutral/draft.ts";

/** What a manifest is built from, besides the input. */
export interface ManifestSource {
  readonly format: string;
  readonly request: ChatRequest;
  /** The drafts of the messages, in order. Iterated only when digests are asked for. */
  readonly drafts: () => Iterable<Draft>;
  readonly messages: readonly RenderedMessage[];
  readonly systemSources: readonly MessageId[];
  readonly edited: EditedRange;
}

export function buildManifest(input: RenderInput, source: ManifestSource): RenderManifest {
  const { thread, plan, model, host } = input;
  const reasoningBinding = bindingFor(input);
  const { format, request, drafts, messages, systemSources, edited } = source;
  const { system, tools } = request;
  let digests: readonly string[] | undefined;
  return {
    formatVersion: COMPACTION_RENDER_FORMAT_VERSION,
    format,
    ...(model !== undefined && { model }),
    ...(reasoningBinding !== undefined && { reasoningBinding }),
    ...(host !== undefined && { host }),
    threadId: thread.id,
    threadVersion: thread.version,
    planId: plan.planId,
    planVersion: plan.version,
    systemSources,
    ...(hasEdits(input)
      ? { firstEdited: edited.first ?? messages.length, firstUnedited: edited.end ?? messages.length }
      : { firstEdited: null, firstUnedited: null }),
    messages,
    // V8 keeps what a getter holds until its next major collection, so this one holds no list of the messages.
    get prefixDigests() {
      digests ??= prefixDigests({ system, tools }, drafts(), `${COMPACTION_RENDER_FORMAT_VERSION} ${format}`);
      return digests;
    },
  };
}

export function renderedMessage({ chat, action, record }: Draft, index: number, tokens: number): RenderedMessage {
  const { role, sources, parts } = chat;
  const rendered = { index, role, action, sources, tokens, parts: parts.length };
  return record === null ? rendered : { ...rendered, record: renderedRecord(record) };
}

const renderedRecord = ({ action, strategy, reason, sincePlanVersion, span }: PlanRecord): RenderedRecord => ({
  action,
  strategy,
  reason,
  sincePlanVersion,
  spanStart: spanStart(span),
  turns: [span.firstTurn, span.lastTurn],
});

/** The messages that a plan moved to another place or put after another prefix, as indexes; only those found so far. */
export interface EditedRange {
  readonly first?: number;
  /** Index of the first message after them. */
  readonly end?: number;
}

const hasEdits = ({ thread, plan }: RenderInput): boolean => firstEditedOrdinal(plan, thread) !== null;

/** Extends an edited range by the next drafts of a request, the first of which has the given index. */
export function withEdited(
  range: EditedRange,
  drafts: readonly Draft[],
  from: number,
  { thread, plan }: RenderInput,
): EditedRange {
  const ordinal = firstEditedOrdinal(plan, thread);
  if (ordinal === null || range.end !== undefined) return range;
  const seen = messagesSeen(plan, thread);
  let { first } = range;
  for (const [place, draft] of drafts.entries()) {
    // Nothing before the item of the provider's own compaction counts as edited.
    const isOpening = draft.message !== null && draft.message.id === plan.providerItem;
    const isEdited = draft.record !== null || (draft.action === "include" && draft.ordinal >= ordinal);
    if (isEdited && !isOpening) first ??= from + place;
    if (draft.action === "include" && draft.ordinal >= seen) return { first: first ?? from + place, end: from + place };
  }
  return first === undefined ? range : { first };
}

/**
 * Returns, for each message, the digest of the request up to and including it. `salt` names all else the bytes depend
 * on.
 */
function prefixDigests(
  { system, tools }: Pick<ChatRequest, "system" | "tools">,
  drafts: Iterable<Draft>,
  salt: string,
): readonly string[] {
  let link = digestOf({ salt, system, tools });
  const digests: string[] = [];
  for (const { chat } of drafts) {
    const { role, parts, providerMetadata } = chat;
    link = sha256(link + digestOf({ role, parts, ...(providerMetadata !== undefined && { providerMetadata }) }));
    digests.push(link);
  }
  return digests;
}
