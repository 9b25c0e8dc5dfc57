import { join } from "node:path";
import { type CompactionPlan, ContextSession, createMemoryStore, formatById, importSessionFile } from "threadfold";
import { describe, expect, it } from "vitest";
import { dataFolder } from "./recorded-files.ts";

const SESSIONS = [
  "claude-code/entire-cli/b6-f735fbac66-0.jsonl.gz",
  "pi/before-compaction.jsonl.gz",
  "pi/session.jsonl.gz",
];
/** Of which nearly a third is kept free while nothing is known of how the provider counts. */
const BUDGETS = [20_000, 60_000];

const folder = dataFolder();

describe.skipIf(folder === null)("recorded sessions, folded again and again (skipped without THREADFOLD_DATA)", () => {
  it.each(SESSIONS.flatMap((name) => BUDGETS.map((budget) => [name, budget] as const)))(
    "%s in %d tokens: summaries stand for what left the prompt, and a plan does not grow with the folds",
    async (name, maxInputTokens) => {
      const { threadId, messages } = await importSessionFile(join(folder as string, name));
      const said = messages.filter(({ branch, role }) => branch === undefined && role !== "system");
      const session = await ContextSession.open({
        ...{ threadId, store: createMemoryStore(), config: { maxInputTokens } },
        format: formatById("anthropic-messages"),
      });
      let [folds, mostForgotten, mostRecords] = [0, 0, 0];
      for (const message of said) {
        const { version } = session.plan;
        await session.append([message]);
        await session.prepare();
        if (session.plan.version === version) continue;
        folds++;
        mostForgotten = Math.max(mostForgotten, forgottenBy(session.plan));
        mostRecords = Math.max(mostRecords, session.plan.summarizations.length + session.plan.drops.length);
      }
      expect(folds).toBeGreaterThan(5);
      expect(mostForgotten).toBeLessThan(0.03 * said.length);
      expect(mostRecords).toBeLessThanOrEqual(12);
    },
  );
});

/** Counts the messages that a plan drops and for which none of its summaries stands. */
function forgottenBy({ drops, summarizations }: CompactionPlan): number {
  const told = new Set(summarizations.flatMap(({ summary }) => summary.span.messageIds));
  return drops.flatMap(({ span }) => span.messageIds).filter((id) => !told.has(id)).length;
}
