import { type OpenItem, renderSummary } from "@threadfold/core";
import { message, patience, pinnedClock } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { threadId, tokenizer, work } from "../testing/agent-work.ts";

/** A session of the default policy that folds wherever its window is full, and what its summaries said at each fold. */
async function foldingSession(maxInputTokens: number) {
  const session = await ContextSession.open({ threadId, tokenizer, clock: pinnedClock(0), config: { maxInputTokens } });
  let messages = 0;
  let steps = 0;
  let version = 0;
  let folds = 0;
  const step = async (batch: Parameters<ContextSession["append"]>[0]) => {
    await session.append(batch);
    await session.prepare();
    if (session.plan.version > version) folds++;
    version = session.plan.version;
  };
  return {
    speak: (role: "user" | "assistant", text: string) => step([message(`m${messages++}`, role, text)]),
    work: (tokens: number) => step(work(steps, ++steps, tokens)),
    folds: () => folds,
    items: (): readonly OpenItem[] => session.plan.summarizations.flatMap(({ summary }) => summary.openItems),
    text: () => session.plan.summarizations.map(({ summary }) => renderSummary(summary)).join("\n"),
    session,
  };
}

const unsettled = (items: readonly OpenItem[]): readonly string[] =>
  items
    .filter(({ status }) => status === "open" || status === "asked")
    .map(({ status, description }) => `${status} ${description}`);

describe("finished work", () => {
  it("stays done over five folds: none of five answered tasks looks open", async () => {
    const { speak, work: toil, folds, items, text } = await foldingSession(9_000);
    for (let task = 1; task <= 5; task++) {
      await speak("user", `Build part ${task} of the importer in src/part-${task}.ts, please.`);
      for (let index = 0; index < 8; index++) await toil(900);
      await speak("assistant", `Done. Part ${task} is implemented, all tests pass and everything is committed.`);
      await speak("user", "Great, thanks!");
      await speak("assistant", "You are welcome.");
    }
    await speak("user", "Which parts are there now?");
    for (let index = 0; index < 8; index++) await toil(900);
    expect(folds()).toBeGreaterThanOrEqual(5);
    expect(unsettled(items()).filter((line) => line.includes("importer"))).toEqual([]);
    expect(text()).not.toContain("You are welcome");
    expect(text()).toContain("Part 5 is implemented, all tests pass and everything is committed.");
    expect(text()).not.toMatch(/\[open\]/);
  });

  it("stays done over dozens of folds of 120 features, and the newest is in the summary", {
    timeout: patience(60_000),
  }, async () => {
    const { speak, work: toil, folds, items, text } = await foldingSession(8_000);
    for (let feature = 1; feature <= 120; feature++) {
      await speak("user", `Add feature ${feature} to the shop. It must be listed in features/f${feature}.ts.`);
      for (let index = 0; index < 3; index++) await toil(700);
      await speak("assistant", `Done. Feature ${feature} works, all tests pass and everything is committed.`);
      if (feature % 2 === 0) {
        await speak("user", "Great, thanks!");
        await speak("assistant", "You are welcome.");
      }
    }
    expect(folds()).toBeGreaterThan(30);
    const newest = Math.max(...items().map(({ description }) => Number(/feature (\d+)/.exec(description)?.[1] ?? 0)));
    // Nothing but the newest, when its answer stands behind the fold.
    expect(unsettled(items()).filter((line) => !line.startsWith(`asked Add feature ${newest} `))).toEqual([]);
    expect(text()).not.toMatch(/\[open\]|You are welcome/);
    expect(newest).toBeGreaterThanOrEqual(112);
    expect(text()).toMatch(new RegExp(`\\[done\\] Add feature ${newest - 1} .*Feature ${newest - 1} works`));
  });

  it("does not include a request that the agent could not finish, whatever was asked since", async () => {
    const { speak, work: toil, text } = await foldingSession(10_000);
    await speak("user", "Set up the project.");
    await speak("assistant", "Done. The project is set up.");
    await speak("user", "Make the login page work in Safari.");
    for (let index = 0; index < 6; index++) await toil(900);
    await speak("assistant", "I was unable to reproduce the problem in Safari.");
    await speak("user", "Write the release notes meanwhile.");
    for (let index = 0; index < 14; index++) await toil(900);
    expect(text()).toContain(
      "[open] Make the login page work in Safari. — I was unable to reproduce the problem in Safari.",
    );
    expect(text()).not.toContain("[done] Write the release notes");
  });
});
