import { join } from "node:path";
import type { CliCommand, CliReport } from "../command/cli-command.ts";
import { type CompactData, compactData, importWarnings, renderWarnings } from "../compact/compact-data.ts";
import { compactPage } from "../compact/compact-page.ts";
import { type CompactRun, compactSession, parseCompactRequest, readSource, storeFor } from "../compact/compact-run.ts";
import { compactFailure } from "../compact/soundness.ts";
import { resultFiles } from "../compact/summary-document.ts";
import { commandModel, MODEL_OPTIONS, modelNote } from "../model/command-model.ts";
import { OutputFolder } from "../output/output-folder.ts";
import { figure, percent } from "../output/page.ts";
import { CONFIG_OPTION, configFieldTable } from "../parse/config-fields.ts";
import { FOLD_OPTIONS, SOURCE_ARGUMENT, SOURCE_OPTIONS } from "../parse/options.ts";

/** `compact`: imports a session, folds it when that is due, renders the request, and checks it. */
export const compactCommand: CliCommand = {
  arguments: [SOURCE_ARGUMENT],
  options: [
    ...SOURCE_OPTIONS,
    ...FOLD_OPTIONS,
    CONFIG_OPTION,
    { flags: "--store <file>", description: "keep thread, plan and artifacts in this file (default: in memory)" },
    { flags: "--out <folder>", description: "write plan.json, request.json, manifest.json and summary.md there" },
    { flags: "--ask <text>", description: "append this as the next user message" },
    { flags: "--force", description: "fold even if no fold is due" },
    {
      flags: "--instructions <text>",
      description: "what the summary must keep above all else; forces a fold, as --force does",
    },
    ...MODEL_OPTIONS,
  ],
  examples: [
    "compact session.jsonl --budget 50000",
    "compact session.jsonl.gz --store sessions.db --out folded",
    'compact run.json --format openai-chat --ask "What is left to do?" --json',
    'compact session.jsonl --force --instructions "Keep every decision about the schema."',
    "compact session.jsonl --config targetPercent=0.3 --config enableSummarization=false",
    "compact session.jsonl --preset codex --model anthropic:claude-haiku-4-5",
    "compact session.jsonl --model qwen3:8b --base-url http://localhost:11434/v1",
  ],
  details: configFieldTable,
  async run(call, context) {
    const request = parseCompactRequest(call);
    const model = await commandModel(call, context);
    const imported = await readSource(request, context);
    // The folder is created before the store is touched: when it is not writable, nothing is written at all.
    const folder = request.out === undefined ? undefined : OutputFolder.open(request.out);
    try {
      const store = await storeFor(request);
      try {
        return reportOf(await compactSession(request, imported, store, context, model), folder);
      } finally {
        await store.close();
      }
    } finally {
      folder?.close();
    }
  },
};

function reportOf(run: CompactRun, folder: OutputFolder | undefined): CliReport {
  const failure = compactFailure(run);
  const delivered = folder !== undefined && failure === undefined && run.prepared !== null;
  const data = compactData(run, delivered ? join(folder.path, "request.json") : undefined);
  if (delivered) folder.deliver(resultFiles(run, data));
  const report: CliReport = {
    data,
    text: (page) => compactPage(run, data, page),
    brief: brief(data),
    warnings: [...importWarnings(run.imported), ...renderWarnings(run.prepared?.warnings ?? [])],
    notes: [
      ...(delivered ? [`Wrote plan.json, request.json, manifest.json and summary.md to ${folder.path}.`] : []),
      ...instructionsNote(run),
      ...(data.model === null ? [] : [modelNote(data.model)]),
    ],
  };
  return failure === undefined ? report : { ...report, failure };
}

/** Says when instructions had no effect; otherwise the user would assume that the summary follows them. */
function instructionsNote({ request, outcome }: CompactRun): readonly string[] {
  if (request.instructions === undefined) return [];
  const effect = "instructions" in outcome ? outcome.instructions : undefined;
  return effect === "used" ? [] : ["The instructions had no effect on this fold."];
}

function brief({ tokens, outcome }: CompactData): string {
  const { before, after, budget } = tokens;
  return `${figure(before)} → ${figure(after)} tokens (${percent(after, budget)} of ${figure(budget)}), ${outcome}`;
}
