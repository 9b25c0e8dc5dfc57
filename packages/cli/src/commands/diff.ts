import { type PlanRecord, planDiff } from "@threadfold/core";
import type { CliCommand } from "../command/cli-command.ts";
import { count, figure, type Page, singleLine } from "../output/page.ts";
import { parsePlanVersion, STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { storedPlan, storedThread } from "../store/stored-thread.ts";

/** `diff`: shows what changed from one plan to another, record by record. Plan 0 folds nothing. */
export const diffCommand: CliCommand = {
  arguments: [
    { name: "threadId", description: "id of the thread whose plans are compared" },
    { name: "planA", description: "version of the first plan; 0 folds nothing" },
    { name: "planB", description: "version of the second plan" },
  ],
  options: [STORE_OPTION],
  examples: ["diff my-thread 0 1 --store sessions.db", "diff my-thread 1 2 --store sessions.db --json"],
  run({ arguments: [threadId = "", planA = "", planB = ""], options }, { io }) {
    const from = parsePlanVersion("planA", planA);
    const to = parsePlanVersion("planB", planB);
    return readingStore(options, io.env, async (store) => {
      const thread = await storedThread(store, threadId);
      const before = await storedPlan(store, thread.id, from);
      const after = await storedPlan(store, thread.id, to);
      const { added, removed } = planDiff(before, after);
      const tokens = { from: before.compactedTokens, to: after.compactedTokens };
      return {
        data: { threadId: thread.id, from, to, tokens, added: added.map(recordData), removed: removed.map(recordData) },
        text: (page) => diffPage(from, to, added, removed, page),
      };
    });
  },
};

/** The decision of a record, without the text that replaces the messages. */
function recordData({ action, strategy, reason, span, originalTokens, sincePlanVersion }: PlanRecord) {
  return { action, strategy, reason, messageIds: span.messageIds, originalTokens, sincePlanVersion };
}

function diffPage(
  from: number,
  to: number,
  added: readonly PlanRecord[],
  removed: readonly PlanRecord[],
  page: Page,
): string {
  const head = page.paint(
    "bold",
    `Plan ${from} → ${to}: ${count(added.length, "record")} added, ${count(removed.length, "record")} removed`,
  );
  const lines = [
    ...removed.map((record) => page.paint("red", recordLine("-", record, page))),
    ...added.map((record) => page.paint("green", recordLine("+", record, page))),
  ];
  return [head, ...lines].join("\n");
}

function recordLine(sign: string, { action, span, originalTokens, reason }: PlanRecord, { columns }: Page): string {
  const [first = ""] = span.messageIds;
  const others = span.messageIds.length > 1 ? ` and ${span.messageIds.length - 1} more` : "";
  const what = `${sign} ${action} ${singleLine(first, 40)}${others} (${figure(originalTokens)} tokens)`;
  return `${what}  ${singleLine(reason, Math.max(20, columns - what.length - 2))}`;
}
