import { type AgentThread, type CompactionPlan, planRecords, spanLength } from "@threadfold/core";
import type { PlanRow, RecordRow } from "../rows/plan-row.ts";
import { type Revision, RowList } from "../rows/table.ts";
import { RecordTable } from "./record-table.ts";

/** Where the plans of a thread are read from. */
export interface PlanSource {
  readonly thread: AgentThread;
  plan(version: number): Promise<CompactionPlan | null>;
}

/** The plans of a thread and their records, oldest first. Plans that were added are not read again. */
export class PlanTable {
  readonly list: RowList<PlanRow>;
  readonly records: RecordTable;
  readonly #source: PlanSource;
  /** The newest plan that was read; null for none. */
  newest: CompactionPlan | null = null;

  constructor(source: PlanSource, revision: Revision) {
    this.#source = source;
    this.list = new RowList(revision);
    this.records = new RecordTable(() => source.thread, revision);
  }

  get rows(): readonly PlanRow[] {
    return this.list.rows;
  }

  /** Adds the next plan. A plan that cannot be read becomes a row without records. */
  async take(version: number): Promise<void> {
    const plan = await this.#source.plan(version);
    const changes = plan === null ? { added: [], removed: [] } : this.records.take(plan);
    this.newest = plan ?? this.newest;
    this.list.push({ ...planFigures(plan, version), ...changes, firstCall: -1, calls: 0 });
  }

  /** Records that a call was made under a plan. */
  called(version: number, call: number): void {
    const row = this.rows[version - 1];
    if (row === undefined) return;
    const firstCall = row.calls === 0 ? call : row.firstCall;
    this.list.put(version - 1, { ...row, firstCall, calls: row.calls + 1 });
  }
}

function planFigures(plan: CompactionPlan | null, version: number) {
  return {
    version,
    planId: plan?.planId ?? "",
    at: plan === null ? null : Date.parse(plan.createdAt),
    threadVersion: plan?.threadVersion ?? 0,
    policyVersion: plan?.policyVersion ?? "",
    originalTokens: plan?.originalTokens ?? 0,
    compactedTokens: plan?.compactedTokens ?? 0,
    folded: foldedMessages(plan),
  };
}

function foldedMessages(plan: CompactionPlan | null): PlanRow["folded"] {
  const folded: Record<RecordRow["action"], number> = { clear: 0, summarize: 0, externalize: 0, drop: 0 };
  for (const { action, span } of plan === null ? [] : planRecords(plan)) folded[action] += spanLength(span);
  return folded;
}
