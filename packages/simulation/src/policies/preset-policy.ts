import {
  asThreadId,
  type ContextCompactionConfig,
  checkArgument,
  checkCalls,
  checkOptions,
  type Message,
  type ProviderAwareTokenizer,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  systemText,
  type ToolDefinition,
  visibleText,
} from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession, type PreparedRequest } from "@threadfold/session";
import type { CompactionPreset } from "@threadfold/strategies";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import {
  type PolicyContext,
  type PolicyPrompt,
  type PolicyRun,
  type PromptPiece,
  type PromptPolicy,
  pieceOf,
  type SummaryCall,
  WorkTime,
} from "../policy/prompt-policy.ts";
import type { ScriptedSummarizer } from "../summaries/scripted-summarizer.ts";

const heuristic = heuristicTokenizer();
const NO_OVERHEAD = 0;

/**
 * Counts a token for every four characters and nothing else: figures are compared by this count, so that every policy
 * has the same budget.
 */
const charactersTokenizer: ProviderAwareTokenizer = Object.freeze<ProviderAwareTokenizer>({
  id: "characters",
  countTokens: (text) => heuristic.countTokens(text),
  countPart: (part) => heuristic.countPart(part),
  messageOverhead: () => NO_OVERHEAD,
  countMessage: ({ parts }) => parts.reduce((sum, part) => sum + heuristic.countPart(part), 0),
  countToolSchemas: (_tools: readonly ToolDefinition[]) => NO_OVERHEAD,
  countRequest: ({ system, messages }) =>
    [
      ...system.map((entry) => heuristic.countTokens(systemText(entry))),
      ...messages.flatMap(({ parts }) => parts.map((part) => heuristic.countPart(part))),
    ].reduce((sum, tokens) => sum + tokens, 0),
});

/** The format whose rules are checked: the strictest. */
const FORMAT = formatById("anthropic-messages");

/** Options for replaying a preset. */
export interface PresetPolicyOptions {
  /** Id of the policy; the preset's name by default. */
  readonly id?: string;
  readonly summarizer: ScriptedSummarizer;
  readonly config?: Partial<ContextCompactionConfig>;
}

/**
 * Returns a preset as a policy that runs through `ContextSession`, as for users. Its token cap is the budget. A
 * stand-in for a model is paid for; the summarizer without a model, which sessions have by default, costs nothing.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a preset or a summarizer.
 */
export function presetPolicy(preset: CompactionPreset, options: PresetPolicyOptions): PromptPolicy {
  checkCalls("preset", preset, ["trigger"]);
  checkOptions("options", options, { id: "text", summarizer: "any", config: "object" });
  checkArgument("summarizer", options.summarizer, "object");
  return { id: options.id ?? preset.name, begin: (context) => PresetRun.begin(preset, options, context) };
}

class PresetRun implements PolicyRun {
  readonly #session: ContextSession;
  readonly #summaries: CountingSummarizer;
  readonly #time: WorkTime;
  readonly #clock: { readonly setTo: (at: number) => void };

  private constructor(
    session: ContextSession,
    summaries: CountingSummarizer,
    time: WorkTime,
    clock: { readonly setTo: (at: number) => void },
  ) {
    this.#session = session;
    this.#summaries = summaries;
    this.#time = time;
    this.#clock = clock;
  }

  static async begin(
    preset: CompactionPreset,
    options: PresetPolicyOptions,
    context: PolicyContext,
  ): Promise<PresetRun> {
    const time = new WorkTime();
    const summaries = new CountingSummarizer(options.summarizer, time);
    let now = 0;
    const session = await ContextSession.open({
      threadId: asThreadId(context.sessionId),
      preset,
      config: { ...options.config, maxInputTokens: context.budgetTokens },
      tokenizer: charactersTokenizer,
      // Sessions have the summarizer without a model by default, unchecked; one that is passed in would be checked.
      ...(options.summarizer.isModel && { summarizer: summaries }),
      // No time passes between the calls of a replay in which a background summary could arrive.
      background: false,
      format: FORMAT,
      frame: { system: context.system, tools: context.tools },
      clock: { now: () => now },
      cachePolicy: "auto",
      // A policy is replayed to the end, even if no request could fit.
      onOverBudget: "send",
    });
    return new PresetRun(session, summaries, time, { setTo: (at) => (now = at) });
  }

  async prompt(added: readonly Message[], at: number): Promise<PolicyPrompt> {
    this.#clock.setTo(at);
    const before = this.#session.plan.version;
    const { result: prepared, milliseconds } = await this.#time.of(async () => {
      await this.#session.append(added);
      return this.#session.prepare();
    });
    return {
      messages: piecesOf(prepared),
      summaryCalls: this.#summaries.take(),
      ...(prepared.cacheTime !== null && { cacheTime: prepared.cacheTime }),
      committed: prepared.plan.version !== before,
      violations: prepared.violations.length,
      milliseconds,
    };
  }

  async recall(query: string): Promise<string> {
    const [, search] = this.#session.tools();
    return query.trim() === "" ? "" : (await search.execute({ query })).text;
  }

  end(): Promise<void> {
    return this.#session.close();
  }
}

const piecesOf = ({ request }: PreparedRequest): readonly PromptPiece[] => [
  ...request.system.map((entry): PromptPiece => ({ role: "system", text: systemText(entry) })),
  ...request.messages.map((message) => pieceOf(message)),
];

/** Stands in for a model, and records what its calls would have read and written. */
class CountingSummarizer implements Summarizer {
  readonly id: string;
  readonly #stand: ScriptedSummarizer;
  readonly #time: WorkTime;
  #calls: SummaryCall[] = [];

  constructor(stand: ScriptedSummarizer, time: WorkTime) {
    this.id = stand.summarizer.id;
    this.#stand = stand;
    this.#time = time;
  }

  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    const result = await this.#time.waitFor(() => this.#stand.summarizer.summarize(request));
    const read = request.messages.reduce((sum, message) => sum + request.countTokens(visibleText(message)), 0);
    this.#calls.push({ read, wrote: request.countTokens(JSON.stringify(result.changes)) });
    return result;
  }

  /** Returns the calls since the last time this was called. */
  take(): readonly SummaryCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }
}
