import {
  type CompactionOutcome,
  ContextSession,
  formatById,
  type ImportedSession,
  importSessionFile,
  PRESETS,
  type PreparedRequest,
} from "threadfold";
import type { RecordedFile } from "./recorded-files.ts";
import { sdkRefusals } from "./sdk-refusals.ts";
import type { WireCell } from "./wire-cell.ts";

/** What one run came to. `problems` is empty when the provider would take the request and it holds what it must. */
export interface WireResult {
  readonly name: string;
  readonly preset: string;
  readonly budget: number;
  readonly format: string;
  /** The model that requests were for; absent where none was named. */
  readonly model?: string;
  /** How folding ended. */
  readonly outcome: CompactionOutcome["type"];
  readonly tokens: number;
  /** How many messages the plan folds. */
  readonly folded: number;
  readonly milliseconds: number;
  readonly problems: readonly string[];
}

const FOLDED: readonly CompactionOutcome["type"][] = ["committed", "summarizer-failed-floor-used", "infeasible"];

/** Runs cells one after the other. A file is imported once for all cells in a row that are about it. */
export async function* runWireCells(cells: Iterable<WireCell>): AsyncGenerator<WireResult> {
  let source: { readonly file: RecordedFile; readonly imported: ImportedSession } | undefined;
  for (const cell of cells) {
    const { file } = cell;
    if (source?.file !== file) source = { file, imported: await importSessionFile(file.path) };
    yield await runWireCell(cell, source.imported);
  }
}

/** Sends the session as the trigger says; when that folded nothing, folds by force and sends it again. */
async function runWireCell(cell: WireCell, imported: ImportedSession): Promise<WireResult> {
  const { preset: name, budget, format, model } = cell;
  const started = performance.now();
  const preset = PRESETS.find((known) => known.name === name);
  if (preset === undefined) throw new Error(`There is no preset ${name}.`);
  const { threadId, system, tools, messages } = imported;
  const session = await ContextSession.open({
    threadId,
    preset,
    config: { maxInputTokens: budget },
    format: formatById(format),
    frame: { system, tools },
    ...(model !== undefined && { model, cacheBreakpoints: true }),
    clock: { now: () => Date.UTC(2026, 0, 1) },
    journal: false,
    onOverBudget: "send",
  });
  await session.append(messages);
  const due = await session.prepare();
  const problems = [...problemsOf(due, cell)];
  let last = due;
  if (!FOLDED.includes(due.outcome?.type ?? "no-op")) {
    last = await session.render(await session.compact({ force: true }));
    problems.push(...problemsOf(last, cell).map((problem) => `by force: ${problem}`));
  }
  const { plan } = last;
  const records = [...plan.externalizations, ...plan.summarizations, ...plan.clearings, ...plan.drops];
  return {
    name: cell.file.name,
    preset: name,
    budget,
    format,
    ...(model !== undefined && { model }),
    outcome: last.outcome?.type ?? "no-op",
    tokens: last.tokens,
    folded: records.reduce((sum, { span }) => sum + span.messageIds.length, 0),
    milliseconds: performance.now() - started,
    problems,
  };
}

function problemsOf(prepared: PreparedRequest, { format, budget, model }: WireCell): readonly string[] {
  const { payload, violations, tokens, outcome, missingPins } = prepared;
  // What the provider would see, with the model that the host names beside the payload.
  const foreign = model === undefined ? payload : { ...payload, model };
  const broken = [...violations, ...formatById(format).check(foreign)];
  const isOver = tokens > budget && outcome?.type !== "infeasible";
  return [
    ...broken.map(({ rule, at, problem }) => `${rule} at ${at}: ${problem}`),
    ...sdkRefusals(format, payload),
    ...(isOver ? [`${tokens} tokens exceed the budget after "${outcome?.type}"`] : []),
    ...missingPins.map((pin) => `pin ${pin} is missing`),
  ];
}
