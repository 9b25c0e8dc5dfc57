import type { ThreadInfo } from "@threadfold/core";
import type { CliCommand } from "../command/cli-command.ts";
import { type Page, plainText, table } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { storedThreads } from "../store/stored-thread.ts";

/** `threads`: lists what a store holds. */
export const threadsCommand: CliCommand = {
  arguments: [],
  options: [STORE_OPTION],
  examples: ["threads --store sessions.db", "threads --store sessions.db --quiet"],
  run({ options }, { io }) {
    return readingStore(options, io.env, async (store) => {
      const threads = await storedThreads(store);
      return {
        data: { threads },
        text: (page) => threadsPage(threads, page),
        brief: threads.map(({ threadId }) => plainText(threadId)).join("\n"),
      };
    });
  },
};

function threadsPage(threads: readonly ThreadInfo[], { paint }: Page): string {
  if (threads.length === 0) return "The store holds no thread.";
  const rows = threads.map(({ threadId, version, planVersion, updatedAt }) => [
    plainText(threadId),
    String(version),
    planVersion === 0 ? "-" : String(planVersion),
    updatedAt,
  ]);
  const [head = "", ...lines] = table(
    [["thread", "entries", "plan", "changed"], ...rows],
    ["left", "right", "right", "left"],
  );
  return [paint("bold", head), ...lines].join("\n");
}
