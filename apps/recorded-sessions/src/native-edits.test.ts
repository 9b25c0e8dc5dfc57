import { join } from "node:path";
import { TokenLedger } from "@threadfold/core";
import { anthropicMessages, openaiResponses, renderRequest } from "@threadfold/renderer";
import { anthropicNativeEdits, openaiNativeEdits } from "@threadfold/renderer/native";
import { clearStrategy, dropStrategy, summarizeStrategy } from "@threadfold/strategies";
import {
  type CompactionPlan,
  ContextSession,
  heuristicTokenizer,
  importSessionFile,
  type ProviderFormat,
  threadfoldPreset,
} from "threadfold";
import { describe, expect, it } from "vitest";
import { dataFolder } from "./recorded-files.ts";

const SESSIONS = ["claude-code/entire-cli/9b-04c3d92e38-2.jsonl.gz", "pi/session.jsonl.gz"];

const preset = { ...threadfoldPreset, name: "clear", ladder: [clearStrategy, summarizeStrategy, dropStrategy] };
const folder = dataFolder();

/** A recorded session folded with bodies cleared first, and what else renders the plans made of that one. */
async function folded(name: string, format: ProviderFormat) {
  const { threadId, messages, system, tools } = await importSessionFile(join(folder as string, name));
  const config = { maxInputTokens: 40_000, minCallsPerFold: 0 };
  const session = await ContextSession.open({
    threadId,
    preset,
    config,
    format,
    frame: { system, tools },
    journal: false,
  });
  await session.append(messages);
  await session.compact({ force: true });
  const { thread, plan } = session;
  const ledger = TokenLedger.empty(heuristicTokenizer(), () => "anchoring").extend(thread);
  return { thread, plan, input: { thread, plan, ledger, system, tools } };
}

describe.skipIf(folder === null)("plans of recorded sessions as native edits (skipped without THREADFOLD_DATA)", () => {
  it.each(SESSIONS)("Anthropic clears and compacts %s, and the rest of the plan renders legally", async (name) => {
    const { thread, plan, input } = await folded(name, anthropicMessages);
    const native = anthropicNativeEdits(thread, plan, { mayClearMore: true });
    const { request, manifest, missingPins } = renderRequest({ ...input, plan: native.rest }, anthropicMessages);
    const payload = { ...anthropicMessages.lower(request).payload, ...native.fields };
    expect([anthropicMessages.check(payload, manifest), anthropicMessages.check(payload), missingPins]).toEqual([
      [],
      [],
      [],
    ]);
    const kinds = native.fields.context_management?.edits.map(({ type }) => type);
    expect(kinds).toContain("clear_tool_uses_20250919");
    expect(native.betas).toContain("context-management-2025-06-27");
    const emptied = ({ clearings }: CompactionPlan): number =>
      clearings.filter(({ targets, keep }) => targets.includes("tool-result") && keep === undefined).length;
    expect([emptied(plan) > 0, emptied(native.rest)]).toEqual([true, 0]);
    const left = native.differences.flatMap((one) =>
      one.kind === "left-to-rendering" && one.action === "clear" ? one.messageIds : [],
    );
    expect(left.toSorted()).toEqual(native.rest.clearings.flatMap(({ span }) => span.messageIds).toSorted());
  });

  it.each(SESSIONS)("OpenAI compacts %s in place of its summaries", async (name) => {
    const { thread, plan, input } = await folded(name, openaiResponses);
    const { fields, rest } = openaiNativeEdits(thread, plan);
    expect(rest.clearings).toEqual(plan.clearings);
    expect(rest.summarizations).toEqual([]);
    expect(fields.context_management?.length ?? 0).toBe(Math.min(1, plan.summarizations.length));
    const { request, manifest } = renderRequest({ ...input, plan: rest }, openaiResponses);
    const { payload } = openaiResponses.lower(request);
    expect(openaiResponses.check({ ...payload, ...fields }, manifest)).toEqual([]);
  });
});
