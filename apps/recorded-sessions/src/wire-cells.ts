import { modelMessageSchema } from "ai";
import {
  type CompactionOutcome,
  ContextSession,
  formatById,
  type ImportedSession,
  importSessionFile,
  PRESETS,
  type PreparedRequest,
} from "threadfold";
import { BUDGETS } from "./matrix.ts";
import type { RecordedFile } from "./recorded-files.ts";

/** The providers' formats; the neutral one has no wire form. */
export const WIRE_FORMATS = [
  "anthropic-messages",
  "openai-chat",
  "openai-responses",
  "gemini",
  "gemini-interactions",
  "ai-sdk",
] as const;
export type WireFormat = (typeof WIRE_FORMATS)[number];

/** One run: a session, a preset, a budget, a format, and the model that the requests are for, if any. */
export interface WireCell {
  readonly file: RecordedFile;
  readonly preset: string;
  readonly budget: number;
  readonly format: WireFormat;
  readonly model?: string;
}

/**
 * Models that make different demands within one format: what reasoning is bound to, whether it goes back as text,
 * whether results may contain images, whether cached prefixes may be marked. Requests without a named model suit the
 * strictest.
 */
export const WIRE_MODELS: Readonly<Record<WireFormat, readonly string[]>> = {
  "anthropic-messages": ["claude-sonnet-4-5", "claude-opus-4-5", "claude-opus-5-5"],
  "openai-chat": ["gpt-5.6", "gpt-4o", "deepseek-v4"],
  "openai-responses": ["gpt-5.6", "gpt-4o"],
  gemini: ["gemini-2.5-pro", "gemini-3-pro"],
  "gemini-interactions": ["gemini-2.5-pro", "gemini-3-pro"],
  "ai-sdk": ["claude-sonnet-4-5", "gpt-5.6", "gemini-3-pro"],
};

const POLICIES = PRESETS.flatMap(({ name }) => WIRE_FORMATS.map((format) => ({ preset: name, format })));

/** Steps through presets and files from cell to cell; a prime, so that no two lists advance in lockstep. */
const STRIDE = 7;

/** Returns every session in every format at every budget, under every preset and for every model, file by file. */
export function wireCells(files: readonly RecordedFile[]): readonly WireCell[] {
  return files.flatMap((file, row) => [
    ...POLICIES.flatMap((policy) => BUDGETS.map((budget): WireCell => ({ file, budget, ...policy }))),
    ...WIRE_FORMATS.flatMap((format, column) =>
      WIRE_MODELS[format].flatMap((model, place) =>
        BUDGETS.map((budget, step): WireCell => {
          return { file, budget, format, model, preset: presetAt(row + (column + place) * STRIDE + step) };
        }),
      ),
    ),
  ]);
}

/**
 * Returns a sample of the cells that is the same on every run: each session once in every third format, shifted by one
 * for the next session, under rotating presets and budgets, so that every preset meets every format and every budget.
 * Every second cell is for one of the format's models, in rotation. File by file.
 */
export function sampledWireCells(files: readonly RecordedFile[]): readonly WireCell[] {
  return files.flatMap((file, row) =>
    WIRE_FORMATS.flatMap((format, column): readonly WireCell[] => {
      if ((row + column) % 3 !== 0) return [];
      const index = row * WIRE_FORMATS.length + column;
      const place = index + Math.floor(index / BUDGETS.length);
      const models = WIRE_MODELS[format];
      const model = models[Math.floor(row / 6) % models.length] as string;
      const preset = presetAt(row + column * STRIDE);
      // Half of the cells are for any model of the provider.
      return [{ file, preset, budget: budgetAt(place), format, ...(((row + column) / 3) % 2 === 0 && { model }) }];
    }),
  );
}

const presetAt = (place: number): string => PRESETS[place % PRESETS.length]?.name as string;
const budgetAt = (place: number): number => BUDGETS[place % BUDGETS.length] as number;

/**
 * The result of one run. `problems` is empty when the provider would accept the request and it contains what it must.
 */
export interface WireResult {
  readonly name: string;
  readonly preset: string;
  readonly budget: number;
  readonly format: string;
  /** The model that requests were for; absent if none was named. */
  readonly model?: string;
  /** How folding ended. */
  readonly outcome: CompactionOutcome["type"];
  readonly tokens: number;
  /** Number of messages that the plan folds. */
  readonly folded: number;
  readonly milliseconds: number;
  readonly problems: readonly string[];
}

const FOLDED: readonly CompactionOutcome["type"][] = ["committed", "summarizer-failed-floor-used", "infeasible"];

/** Runs cells one at a time. A file is imported once for consecutive cells that use it. */
export async function* runWireCells(cells: Iterable<WireCell>): AsyncGenerator<WireResult> {
  let source: { readonly file: RecordedFile; readonly imported: ImportedSession } | undefined;
  for (const cell of cells) {
    const { file } = cell;
    if (source?.file !== file) source = { file, imported: await importSessionFile(file.path) };
    yield await runWireCell(cell, source.imported);
  }
}

/**
 * Prepares the session's request as the trigger decides; if that folded nothing, forces a fold and prepares it again.
 */
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
  // The payload as the provider would see it, with the model that the host names next to it.
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

/**
 * Returns what a provider's official SDK rejects about a payload before sending it. Only the AI SDK has a validator;
 * the others only check types, and their shapes are checked against the wire schemas of the formats.
 */
export function sdkRefusals(format: WireFormat, payload: Readonly<Record<string, unknown>>): readonly string[] {
  if (format !== "ai-sdk") return [];
  return (payload["messages"] as readonly unknown[]).flatMap((message, index) => {
    const parsed = modelMessageSchema.safeParse(message);
    return parsed.success ? [] : [`the AI SDK refuses message ${index}: ${parsed.error.message}`];
  });
}
