import type { ChatRequest, TokenBreakdown } from "@threadfold/core";
import type { DraftRequest } from "./conform/conformance.ts";
import { conform } from "./conform/repairs.ts";
import { countDraft } from "./counting/count-draft.ts";
import { countFrame, type FrameTokens } from "./counting/count-frame.ts";
import type { ProviderFormat } from "./formats/provider-format.ts";
import { buildManifest } from "./manifest/build-manifest.ts";
import type { Draft } from "./neutral/draft.ts";
import { draftView } from "./neutral/draft-view.ts";
import { splitLeadingSystem } from "./neutral/split-system.ts";
import { missingPins } from "./pins/missing-pins.ts";
import type { RenderInput, Rendering } from "./render-input.ts";
import { WarningLog } from "./warnings/warning-log.ts";

/**
 * Applies a plan to a thread and makes the request that a format sends (seed 002, Prompt Renderer): the view is drafted
 * message by message, made legal by the format's requirements, and counted. Pure: the same input gives the same bytes
 * (P2), and between two plans a longer thread only adds to the end (P7).
 */
export function renderRequest(input: RenderInput, format: ProviderFormat): Rendering {
  const extended = { ...input, ledger: input.ledger.extend(input.thread) };
  const leading = splitLeadingSystem(draftView(extended));
  const warnings = new WarningLog();
  const drafted = { system: [...hostSystem(input), ...leading.texts], tools: input.tools, drafts: leading.drafts };
  const conformed = conform(drafted, { requirements: format.rules.requirements, input: extended, warnings });
  const request = chatRequest(conformed);
  const { ledger } = extended;
  const tokens = conformed.drafts.map((draft) => countDraft(draft, ledger));
  const breakdown = breakdownOf(conformed.drafts, tokens, countFrame(request.system, request.tools, ledger.tokenizer));
  return {
    request,
    manifest: buildManifest(input, {
      format: format.id,
      request,
      drafts: conformed.drafts,
      tokens,
      systemSources: leading.sources,
    }),
    warnings: warnings.warnings,
    tokens: Object.values(breakdown).reduce((sum, share) => sum + share, 0),
    breakdown,
    missingPins: missingPins(input.thread.livePins, request.system, conformed.drafts).map(({ id }) => id),
  };
}

const hostSystem = ({ system }: RenderInput): readonly string[] => system.filter((text) => text.trim() !== "");

function chatRequest({ system, tools, drafts }: DraftRequest): ChatRequest {
  return { system, tools, messages: drafts.map(({ chat }) => chat) };
}

function breakdownOf(drafts: readonly Draft[], tokens: readonly number[], frame: FrameTokens): TokenBreakdown {
  const shares: Record<keyof TokenBreakdown, number> = {
    system: frame.system,
    tools: frame.tools,
    pins: 0,
    summaries: 0,
    pointers: 0,
    kept: 0,
    rehydrated: 0,
    overhead: frame.overhead,
  };
  drafts.forEach(({ share }, index) => (shares[share] += tokens[index] as number));
  return shares;
}
