import {
  type AgentThread,
  type ArtifactId,
  actionOf,
  type CompactionAction,
  type CompactionOutcome,
  type CompactionPlan,
  type LegalityViolation,
  type ThreadId,
  type TokenBreakdown,
} from "@threadfold/core";
import { describeImportWarning, type ImportedSession } from "@threadfold/importers";
import { describeWarning, type RenderWarning } from "@threadfold/renderer";
import type { CliWarning } from "../command/cli-command.ts";
import type { ModelWork } from "../model/command-model.ts";
import { singleLine } from "../output/page.ts";
import type { CompactRun } from "./compact-run.ts";

/** The format and size of the session that was read. */
export interface SourceData {
  readonly format: string;
  /** Messages in the file, including those of side branches. */
  readonly messages: number;
  readonly turns: number;
  readonly steps: number;
  /** Records that could not be read and were skipped; each is named in a warning. */
  readonly malformed: number;
}

/** Number of messages in the thread per action; `hidden` ones are on side branches. */
export type ActionCounts = Readonly<Record<CompactionAction, number>> & { readonly hidden?: number };

/**
 * The `data` of `compact --json`. It is a public interface: fields are added but never changed. Sizes are in tokens or
 * bytes.
 */
export interface CompactData {
  readonly threadId: ThreadId;
  readonly source: SourceData;
  readonly outcome: CompactionOutcome["type"];
  readonly tokens: {
    readonly before: number;
    readonly after: number;
    readonly budget: number;
    readonly counter: string;
  };
  readonly actions: ActionCounts;
  readonly plan: { readonly planId: string; readonly version: number };
  /** Null when no request could be made. */
  readonly request: {
    readonly format: string;
    readonly digest: string;
    readonly bytes: number;
    readonly path?: string;
  } | null;
  readonly violations: readonly LegalityViolation[];
  readonly pins: { readonly live: number; readonly present: number | null };
  /** Ids of the artifacts that the plan points to. */
  readonly artifacts: readonly ArtifactId[];
  readonly breakdown: TokenBreakdown | null;
  /** The calls of the summarizing model; null when there is none. */
  readonly model: ModelWork | null;
}

/** Returns the result of `compact` as data. */
export function compactData(run: CompactRun, path: string | undefined): CompactData {
  const { imported, outcome, prepared, session, counter, request } = run;
  const { thread, plan } = session;
  const { before, after } = outcome.tokens;
  const live = thread.livePins.length;
  return {
    threadId: thread.id,
    source: sourceData(imported, thread),
    outcome: outcome.type,
    tokens: { before, after: prepared?.tokens ?? after, budget: request.budget, counter },
    actions: countActions(thread, plan),
    plan: { planId: plan.planId, version: plan.version },
    request: prepared && {
      format: prepared.format,
      digest: prepared.digest,
      bytes: prepared.bytes,
      ...(path !== undefined && { path }),
    },
    violations: prepared?.violations ?? (outcome.type === "refused" ? outcome.violations : []),
    pins: { live, present: prepared && live - prepared.missingPins.length },
    artifacts: [...new Set(plan.externalizations.map(({ artifactId }) => artifactId))],
    breakdown: prepared?.breakdown ?? null,
    model: run.model,
  };
}

/** Returns the session that was read, as data. */
export function sourceData({ format, messages, malformed }: ImportedSession, thread: AgentThread): SourceData {
  const newest = messages.at(-1);
  const { turn = 0, step = 0 } = (newest && thread.message(newest.id)) ?? {};
  return { format, messages: messages.length, turns: turn, steps: step, malformed: malformed.length };
}

function countActions(thread: AgentThread, plan: CompactionPlan): ActionCounts {
  const counts = { include: 0, clear: 0, summarize: 0, externalize: 0, drop: 0 };
  let hidden = 0;
  for (const message of thread.messages) {
    if (message.branch === undefined) counts[actionOf(plan, message.id).action]++;
    else hidden++;
  }
  return hidden === 0 ? counts : { ...counts, hidden };
}

/** Returns warnings about records that were skipped or repaired when reading a session. */
export function importWarnings({ malformed, warnings }: ImportedSession): readonly CliWarning[] {
  return [
    ...malformed.map(({ line, path, problem, excerpt }) => ({
      code: "malformed-record",
      message:
        `line ${line}${path === undefined ? "" : `, ${path}`} was skipped: ${problem}` +
        (excerpt === undefined ? "" : ` (it begins ${singleLine(excerpt, 40)})`),
    })),
    ...warnings.map((warning) => ({ code: warning.kind, message: describeImportWarning(warning) })),
  ];
}

/** Returns warnings about what rendering lost or repaired. */
export const renderWarnings = (warnings: readonly RenderWarning[]): readonly CliWarning[] =>
  warnings.map((warning) => ({ code: warning.kind, message: describeWarning(warning) }));
