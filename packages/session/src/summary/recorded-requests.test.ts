import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { asThreadId, type OpenItem, spanEnd } from "@threadfold/core";
import { patience, pinnedClock } from "@threadfold/core/laws";
import { importSession } from "@threadfold/importers";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";

const data = process.env["THREADFOLD_DATA"] ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url));

/** Words of a request, and the place of the message with which the agent closed it, as a person reads the session. */
type Label = readonly [words: string, closedAt: number];

interface Recording {
  readonly file: string;
  readonly maxInputTokens: number;
  readonly labels: readonly Label[];
  /** How many of the labelled requests some summary shows as done. */
  readonly atLeast: number;
}

const RECORDINGS: readonly Recording[] = [
  {
    file: "pi/large-session.jsonl.gz",
    maxInputTokens: 24_000,
    labels: [
      ["undid your changes, try again", 22],
      ["only one file left to fix up, tui-renderer.ts", 66],
      ["manually removed almost all chalk uses", 66],
      ["need to fix the tui test sources", 212],
      ["our themes need explicit tokens for the thinking level", 244],
      ["queued messages component doesn't adhere to the invariant", 280],
      ["truncated text must stop when it encounters", 280],
      ["don't tink the component invalidate works", 324],
      ["omfg use fucking rgb values", 378],
      ["that's that the codeblock color was in markdown", 444],
      ["what's footer using? should be dimmer", 484],
      ["bullet in markdown should be same as", 490],
      ["in old pi link url as 666666", 538],
      ["thinking level colors are too intense", 550],
      ["not the system prompt. see main.ts", 674],
    ],
    atLeast: 12,
  },
  {
    file: "pi/before-compaction.jsonl.gz",
    maxInputTokens: 50_000,
    labels: [
      ["haven't lobotimized you by compacting", 517],
      ["remember the @packages/coding-agent/docs/refactor.md", 517],
      ["why do you go 100 lines at a time", 517],
      ["collapseChangelog = false", 517],
      ["how about you kill the entire file", 517],
      ["yes need to be fully clean", 658],
      ["lots of code duplication wrt swapping out the editor", 700],
      ["let's tackle main-new.ts", 768],
      ["utils/config.ts to src/", 857],
    ],
    atLeast: 7,
  },
];

/** What the summaries say of work items at every fold, and how far the folds reach. */
async function foldsOf({ file, maxInputTokens }: Recording) {
  const { messages } = await importSession(readFileSync(`${data}/${file}`));
  const session = await ContextSession.open({
    threadId: asThreadId("recorded"),
    clock: pinnedClock(0),
    config: { maxInputTokens },
  });
  const folds: { readonly end: number; readonly items: readonly OpenItem[] }[] = [];
  let version = 0;
  for (const [index, message] of messages.entries()) {
    await session.append([message]);
    if (message.role === "assistant" || messages[index + 1]?.role === "tool") continue;
    await session.prepare();
    const { plan, thread } = session;
    if (plan.version === version || plan.summarizations.length === 0) continue;
    version = plan.version;
    const ends = plan.summarizations.map(({ span }) => thread.message(spanEnd(span))?.ordinal ?? -1);
    folds.push({ end: Math.max(...ends), items: plan.summarizations.flatMap(({ summary }) => summary.openItems) });
  }
  return folds;
}

describe.each(RECORDINGS)("the recorded session $file, folded again and again", (recording) => {
  it.skipIf(!existsSync(`${data}/${recording.file}`))(
    "shows a request as done once its answer is folded, and none as open (needs THREADFOLD_DATA or ../shared/data)",
    { timeout: patience(120_000) },
    async () => {
      const folds = await foldsOf(recording);
      expect(folds.length).toBeGreaterThanOrEqual(8);
      const seenDone = new Set<string>();
      for (const { end, items } of folds) {
        for (const [words, closedAt] of recording.labels)
          for (const { description, status } of items.filter((item) => item.description.includes(words))) {
            expect([description, end, status]).toEqual([description, end, end >= closedAt ? "done" : "asked"]);
            if (status === "done") seenDone.add(words);
          }
        expect(items.filter(({ status }) => status === "open").map(({ description }) => description)).toEqual([]);
      }
      expect(seenDone.size).toBeGreaterThanOrEqual(recording.atLeast);
    },
  );
});
