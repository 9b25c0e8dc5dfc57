import {
  type CompactionPlan,
  contextCompactionConfigSchema,
  summaryRoleSchema,
  summaryWordingSchema,
  type ThreadfoldStore,
} from "@threadfold/core";
import { FORMAT_NAMES, formatById, type ProviderFormat, payloadDigest } from "@threadfold/renderer";
import { RequestRenderer, threadState } from "@threadfold/session";
import { loadTokenizer } from "@threadfold/tokenizers";
import type { CliCall, CliCommand, CliReport } from "../command/cli-command.ts";
import { renderWarnings } from "../compact/compact-data.ts";
import { unsoundness } from "../compact/soundness.ts";
import { writeWholeFile } from "../output/output-folder.ts";
import { plainJson } from "../output/page.ts";
import { PLAN_OPTION, planVersion, STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { newestRequest, storedPlan, storedThread } from "../store/stored-thread.ts";

/** `render`: prints the request under a plan, as canonical JSON. It records nothing. */
export const renderCommand: CliCommand = {
  arguments: [{ name: "threadId", description: "id of the thread to render" }],
  options: [
    PLAN_OPTION,
    {
      flags: "--format <format>",
      description: "request format (default: that of the newest request)",
      choices: FORMAT_NAMES,
    },
    { flags: "--out <file>", description: "write the request to this file instead of stdout" },
    STORE_OPTION,
  ],
  examples: [
    "render my-thread --store sessions.db",
    "render my-thread --plan 0 --format openai-chat --out request.json",
  ],
  run({ arguments: [threadId = ""], options }, { io }) {
    const version = planVersion(options);
    return readingStore(options, io.env, (store) => renderThread(store, threadId, version, options));
  },
};

async function renderThread(
  store: ThreadfoldStore,
  threadId: string,
  version: number | "newest",
  options: CliCall["options"],
): Promise<CliReport> {
  const thread = await storedThread(store, threadId);
  const plan = await storedPlan(store, thread.id, version);
  const { record, frame } = await newestRequest(store, thread.id);
  const format = formatById(
    typeof options["format"] === "string" ? options["format"] : (record?.format ?? "anthropic"),
  );
  const tokenizer = await loadTokenizer("character-classes");
  const state = threadState(thread, tokenizer, () => "anchoring");
  const role = summaryRoleSchema.safeParse(record?.options["summaryRole"]);
  const summaryRole = role.success ? role.data : contextCompactionConfigSchema.parse({}).summaryRole;
  const { data: summaryWording } = summaryWordingSchema.safeParse(record?.options["summaryWording"]);
  const sources = { state, frame, format, summaryRole, ...(summaryWording !== undefined && { summaryWording }) };
  const rendered = new RequestRenderer(sources).render(plan);
  return reportOf(plan, format, rendered, options["out"]);
}

function reportOf(
  plan: CompactionPlan,
  format: ProviderFormat,
  { payload, rendering, verification }: ReturnType<RequestRenderer["render"]>,
  out: CliCall["options"][string],
): CliReport {
  const { text, digest, bytes } = payloadDigest(payload);
  const { planId, version, threadId } = plan;
  const { violations, missingPins } = verification;
  const failure = unsoundness(violations, missingPins);
  const path = typeof out === "string" && failure === undefined ? out : undefined;
  if (path !== undefined) writeWholeFile(path, text);
  const request = { format: format.id, digest, bytes, ...(path !== undefined && { path }) };
  const report = {
    data: { threadId, plan: { planId, version }, request, tokens: rendering.tokens, violations, payload },
    text: () => (path === undefined ? plainJson(text) : ""),
    warnings: renderWarnings(rendering.warnings),
    notes: path === undefined ? [] : [`Wrote ${bytes} bytes to ${path}, sha256 ${digest}.`],
  };
  return failure === undefined ? report : { ...report, failure };
}
