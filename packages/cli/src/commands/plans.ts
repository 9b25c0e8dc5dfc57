import type { PlanInfo } from "@threadfold/core";
import { type CliCommand, NDJSON_OPTION } from "../command/cli-command.ts";
import { figure, type Page, plainText, table } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { maybeSealedThread } from "../store/stored-thread.ts";

/** `plans`: lists the plans of a thread, oldest first. */
export const plansCommand: CliCommand = {
  arguments: [{ name: "threadId", description: "id of the thread whose plans are listed" }],
  options: [NDJSON_OPTION, STORE_OPTION],
  examples: ["plans my-thread --store sessions.db", "plans my-thread --store sessions.db --json"],
  run({ arguments: [threadId = ""], options }, { io }) {
    return readingStore(options, io.env, async (store) => {
      const thread = await maybeSealedThread(store, threadId);
      const plans = await store.plans.listPlans(thread.id);
      return {
        data: { threadId: thread.id, threadVersion: thread.version, plans },
        items: plans,
        text: (page) => plansPage(thread.id, plans, page),
      };
    });
  },
};

function plansPage(threadId: string, plans: readonly PlanInfo[], { paint }: Page): string {
  if (plans.length === 0) return `${plainText(threadId)} was never folded; plan 0 shows everything.`;
  const rows = plans.map(({ version, createdAt, threadVersion, originalTokens, compactedTokens, planId }) => [
    String(version),
    createdAt,
    String(threadVersion),
    figure(originalTokens),
    figure(compactedTokens),
    planId.slice(0, 12),
  ]);
  const [head = "", ...lines] = table(
    [["plan", "made", "entries", "unfolded", "folded", "id"], ...rows],
    ["right", "left", "right", "right", "right", "left"],
  );
  return [paint("bold", head), ...lines].join("\n");
}
