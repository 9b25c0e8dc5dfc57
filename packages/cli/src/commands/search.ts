import {
  actionOf,
  type CompactionAction,
  type RecallHit,
  recallTerms,
  requireBranch,
  ThreadfoldError,
} from "@threadfold/core";
import { MemoryRecallIndex } from "@threadfold/rehydration";
import { type CliCall, type CliCommand, NDJSON_OPTION } from "../command/cli-command.ts";
import { figure, type Page, plainText } from "../output/page.ts";
import { PLAN_OPTION, planVersion, STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { storedPlan, storedThread } from "../store/stored-thread.ts";

const PASSAGES = 10;

/** A passage that was found, and the plan's action for its message. */
interface FoundPassage extends RecallHit {
  readonly action: CompactionAction;
}

/** `search`: finds passages of a thread by their words, folded or not. */
export const searchCommand: CliCommand = {
  arguments: [
    { name: "threadId", description: "id of the thread to search" },
    { name: "query", description: "words in any order; rare ones count most" },
  ],
  options: [
    { flags: "--page <number>", description: `page of ${PASSAGES} passages`, fallback: "1" },
    { flags: "--branch <path>", description: "side branch to search from (default: the main branch)" },
    { flags: "--after <time>", description: "only messages made at or after this ISO 8601 time" },
    { flags: "--before <time>", description: "only messages made before this ISO 8601 time" },
    NDJSON_OPTION,
    PLAN_OPTION,
    STORE_OPTION,
  ],
  examples: [
    'search my-thread "retry policy" --store sessions.db',
    "search my-thread src/http/retry.ts --page 2 --store sessions.db",
  ],
  run({ arguments: [threadId = "", query = ""], options }, { io }) {
    const version = planVersion(options);
    const page = pageNumber(options);
    if (recallTerms(query).length === 0)
      throw new ThreadfoldError("USAGE", `The query ${JSON.stringify(query)} has no word to search for.`);
    return readingStore(options, io.env, async (store) => {
      const thread = await storedThread(store, threadId);
      if (typeof options["branch"] === "string") requireBranch(thread.id, thread.messages, options["branch"]);
      const plan = await storedPlan(store, thread.id, version);
      // Built for this one search: a command that only reads writes nothing to the store.
      const index = new MemoryRecallIndex();
      await index.index(thread.id, thread.messages);
      const found = await index.search(thread.id, {
        text: query,
        limit: PASSAGES,
        cursor: `after-${(page - 1) * PASSAGES}`,
        ...textOptions(options),
      });
      const pages = Math.ceil(found.total / PASSAGES);
      const hits = found.hits.map((hit): FoundPassage => ({ ...hit, action: actionOf(plan, hit.messageId).action }));
      return {
        data: { threadId: thread.id, planVersion: plan.version, query, page, pages, total: found.total, hits },
        items: hits,
        text: (output) => searchPage(hits, { page, pages, total: found.total }, output),
      };
    });
  },
};

/** Parses the page number. @throws ThreadfoldError `USAGE`. */
function pageNumber({ page }: CliCall["options"]): number {
  if (typeof page === "string" && /^[1-9]\d{0,8}$/.test(page)) return Number(page);
  throw new ThreadfoldError("USAGE", `--page is ${JSON.stringify(page)}; it must be a whole number, 1 or higher.`);
}

function textOptions({ branch, after, before }: CliCall["options"]) {
  return {
    ...(typeof branch === "string" && { branch }),
    ...(typeof after === "string" && { after }),
    ...(typeof before === "string" && { before }),
  };
}

const STATE: Readonly<Record<CompactionAction, string>> = {
  include: "in the prompt",
  clear: "cleared",
  summarize: "summarized",
  externalize: "externalized",
  drop: "dropped",
};

function searchPage(
  hits: readonly FoundPassage[],
  { page, pages, total }: { readonly page: number; readonly pages: number; readonly total: number },
  { paint }: Page,
): string {
  if (total === 0) return "Nothing in this thread matches.";
  if (hits.length === 0) return `There is nothing on page ${page}; the result has ${figure(pages)}.`;
  const passages = hits.flatMap(({ messageId, turn, step, role, toolName, action, branch, excerpt }) => {
    const who = toolName === undefined ? role : `${role} ${toolName}`;
    const where = branch === undefined ? STATE[action] : `on branch ${branch}`;
    const place = `(${who}, turn ${turn}, step ${step}, ${where})`;
    const lines = plainText(excerpt.trim()).split("\n");
    return [`${paint("bold", plainText(messageId))} ${plainText(place)}`, ...lines.map((line) => `  ${line}`), ""];
  });
  return [...passages, paint("dim", `Page ${page} of ${figure(pages)}; ${figure(total)} passages in all.`)].join("\n");
}
