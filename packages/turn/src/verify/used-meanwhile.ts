import {
  type AgentThread,
  applySummaryChanges,
  type ChatMessage,
  type CompactionPlan,
  combineHandling,
  handlingOf,
  type Message,
  type MessageId,
  needCandidates,
  renderSummary,
  type StructuredSummary,
  type SummaryChange,
  sealPlan,
  tokenBudget,
  visibleText,
} from "@threadfold/core";
import type { Turn } from "../state/turn-state.ts";
import { breaksMore } from "./candidates.ts";
import type { FoldReady } from "./fold-result.ts";
import { requestText } from "./hidden-content.ts";

/** A line that a call used after the fold began, and that the folded prompt would lack. */
type UsedLine = {
  readonly text: string;
  /** Who wrote the line: a tool's name, or a role. */
  readonly where: string;
  /** The newest source message of the prompt message that contained it. */
  readonly source: MessageId;
};

/** Maximum length of the line that is kept on either side of a name, in UTF-16 code units. */
const AROUND = 80;

/**
 * Checks a fold against the calls that were made while it was in progress, before it is committed: lines that the fold
 * would hide but that those calls used are added to its newest summary. Returns the fold unchanged if there are none;
 * null if they cannot be added, so that the fold must be made again.
 *
 * @param since the thread's version up to which calls are part of what was folded.
 * @param thread the thread as it is now.
 */
export async function keepUsed(
  turn: Turn,
  fold: FoldReady,
  since: number,
  thread: AgentThread,
): Promise<FoldReady | null> {
  const used = usedLines(turn, fold.plan, answersSince(thread, since));
  if (used.length === 0) return fold;
  const { redact = async (value) => value } = turn;
  const plan = withLines(turn, fold.plan, await redact(used));
  if (plan === null) return null;
  const verification = turn.renderer.verify(plan);
  const { tokens, missingPins } = verification;
  const fits = tokens <= Math.max(fold.tokens.after, tokenBudget(turn.config).softLimit) && tokens < fold.tokens.before;
  if (!fits || missingPins.length > 0 || breaksMore(verification, () => turn.renderer.verify(turn.plan))) return null;
  return { ...fold, plan: sealPlan({ ...plan, compactedTokens: tokens }), tokens: { ...fold.tokens, after: tokens } };
}

function answersSince(thread: AgentThread, since: number): readonly Message[] {
  return thread
    .entriesBetween(since)
    .flatMap((entry) => (entry.type === "message" && entry.message.branch === undefined ? [entry.message] : []))
    .filter(({ role }) => role === "assistant");
}

function usedLines({ renderer, plan: current }: Turn, plan: CompactionPlan, answers: readonly Message[]) {
  const candidates = needCandidates(answers);
  if (candidates.length === 0) return [];
  const shown = renderer.rendering(current).request;
  const before = requestText(shown);
  const after = requestText(renderer.rendering(plan).request);
  const lines = new Map<string, UsedLine>();
  for (const name of candidates) {
    if (!before.includes(name) || after.includes(name)) continue;
    const line = lineWith(name, shown.messages);
    if (line !== null) lines.set(line.text, line);
  }
  return [...lines.values()];
}

function lineWith(name: string, messages: readonly ChatMessage[]): UsedLine | null {
  const home = messages.findLast((message) => message.sources.length > 0 && visibleText(message).includes(name));
  const source = home?.sources.at(-1);
  if (home === undefined || source === undefined) return null;
  const text = visibleText(home);
  const at = text.indexOf(name);
  const start = Math.max(text.lastIndexOf("\n", at) + 1, at - AROUND);
  const end = text.indexOf("\n", at + name.length);
  const stop = Math.min(end === -1 ? text.length : end, at + name.length + AROUND);
  return { text: text.slice(start, stop).trim().toWellFormed(), where: speakerOf(home), source };
}

function speakerOf({ role, parts }: ChatMessage): string {
  const [first] = parts;
  return first?.type === "tool-result" ? first.result.toolName : role;
}

/** Returns the plan with the lines added to this fold's newest summary; null when the fold wrote none. */
function withLines({ state }: Turn, plan: CompactionPlan, used: readonly UsedLine[]): CompactionPlan | null {
  const home = plan.summarizations.findLast(({ sincePlanVersion }) => sincePlanVersion === plan.version);
  if (home === undefined) return null;
  const changes = used.map(
    ({ text, where, source }): SummaryChange => ({
      op: "add",
      section: "identifiers",
      item: { text, where, sources: [source] },
    }),
  );
  const { summary: merged } = applySummaryChanges(home.summary, home.summary.span, changes);
  const sources = used.flatMap(({ source }) => state.thread.message(source) ?? []);
  const handling = sources.length === 0 ? merged.handling : combineHandling(merged.handling, handlingOf(sources));
  const summary = { ...merged, round: home.summary.round, ...(handling !== undefined && { handling }) };
  const countOf = (told: StructuredSummary): number => state.ledger.tokenizer.countTokens(renderSummary(told));
  const summaryTokens = home.summaryTokens + Math.max(0, countOf(summary) - countOf(home.summary));
  const record = { ...home, summary, summaryTokens };
  return { ...plan, summarizations: plan.summarizations.map((each) => (each === home ? record : each)) };
}
