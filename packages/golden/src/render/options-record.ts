import type { RequestFrame } from "@threadfold/session";
import type { Mask } from "../mask/mask-rule.ts";
import type { ResolvedPolicy } from "./golden-policy.ts";

/** What a golden prompt says about how it came to be. */
export const optionsRecord = (policy: ResolvedPolicy, frame: RequestFrame, entries: number) => ({
  preset: policy.preset.name,
  config: policy.config,
  formats: policy.formats.map(({ id }) => id),
  payloads: policy.payloads,
  tokenizer: policy.tokenizer.id,
  ...(policy.summarizer !== undefined && { summarizer: policy.summarizer.id }),
  ...(policy.summaryRole !== undefined && { summaryRole: policy.summaryRole }),
  now: new Date(policy.now).toISOString(),
  mask: policy.mask.map(maskName),
  conversation: { entries, systemTexts: frame.system.length, tools: frame.tools.length },
});

const maskName = (mask: Mask): string => (typeof mask === "string" ? mask : `${mask.name}: ${mask.pattern}`);
