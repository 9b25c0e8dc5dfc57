import { type ChatRequest, type MessageId, type PlanRecord, spanStart } from "@threadfold/core";
import { capabilitiesOf } from "../capabilities/capabilities-of.ts";
import { firstEditedOrdinal } from "../conform/first-edit.ts";
import type { Draft } from "../neutral/draft.ts";
import { COMPACTION_RENDER_FORMAT_VERSION } from "../render-format-version.ts";
import type { RenderInput } from "../render-input.ts";
import { prefixDigests } from "./prefix-digests.ts";
import type { RenderedMessage, RenderedRecord, RenderManifest } from "./render-manifest.ts";

/** What a manifest is made from, beside the input. */
export interface ManifestSource {
  readonly format: string;
  readonly request: ChatRequest;
  /** The drafts behind the messages, in order. Walked only until the first edit. */
  readonly drafts: () => Iterable<Draft>;
  readonly messages: readonly RenderedMessage[];
  readonly systemSources: readonly MessageId[];
}

export function buildManifest(
  { thread, plan, model, capabilities }: RenderInput,
  source: ManifestSource,
): RenderManifest {
  const { format, request, drafts, messages, systemSources } = source;
  let digests: readonly string[] | undefined;
  return {
    formatVersion: COMPACTION_RENDER_FORMAT_VERSION,
    format,
    ...(model !== undefined && { model, ...bindingOf(model, capabilities) }),
    threadId: thread.id,
    threadVersion: thread.version,
    planId: plan.planId,
    planVersion: plan.version,
    systemSources,
    firstEdited: firstEdited(drafts, messages.length, firstEditedOrdinal(plan, thread)),
    messages,
    get prefixDigests() {
      digests ??= prefixDigests(request, `${COMPACTION_RENDER_FORMAT_VERSION} ${format}`);
      return digests;
    },
  };
}

function bindingOf(model: string, more: RenderInput["capabilities"]): Pick<RenderManifest, "reasoningBinding"> {
  const known = capabilitiesOf(model, more);
  return known === null ? {} : { reasoningBinding: known.reasoning };
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

function firstEdited(drafts: ManifestSource["drafts"], length: number, ordinal: number | null): number | null {
  if (ordinal === null) return null;
  let index = 0;
  for (const draft of drafts()) {
    if (draft.record !== null || (draft.action === "include" && draft.ordinal >= ordinal)) return index;
    index++;
  }
  return length;
}
