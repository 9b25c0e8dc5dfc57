import { asPinId } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { Conversation, requestFor, summaryOf } from "../../testing/conversation.ts";
import { ExtractiveSummarizer } from "../extractive-summarizer.ts";

const constraintsOf = (conversation: Conversation, more: Parameters<typeof summaryOf>[1] = {}): readonly string[] =>
  summaryOf(conversation, more).summary.constraints.map(({ text }) => text);
const started = () => new Conversation().user("Look around.").agent("I looked around.");

describe("the constraints of a summary", () => {
  it.each([
    "The export must be done today.",
    "The button must be blue.",
    "Never mind, it always works on my machine.",
    "You must not:",
    "> Never trust user input",
  ])("are no requests, complaints and quotes: %s", (text) => {
    expect(constraintsOf(started().user(text).agent("Done."))).toEqual([]);
  });

  it("are whole rules, in the words of who said them", () => {
    const rule = "Never edit generated files, e.g. dist/ or build/.";
    expect(constraintsOf(started().user(`Go on. ${rule}`))).toEqual([rule]);
  });

  it("leave out what the same span takes back, and resolve what it takes back of the summary before", () => {
    const rule = "Never touch package-lock.json.";
    const back = "You may edit package-lock.json now.";
    expect(constraintsOf(started().user(rule).agent("ok").user(back))).toEqual([]);
    const before = summaryOf(started().user(rule)).summary;
    expect(before.constraints).toHaveLength(1);
    const { changes } = new ExtractiveSummarizer().summarizeNow(
      requestFor(new Conversation().user("Go on.").agent("ok").user(back).messages, { previous: before }),
    );
    expect(changes).toContainEqual({
      op: "resolve",
      section: "constraints",
      itemId: before.constraints[0]?.id,
      reason: "taken back",
    });
  });

  it("need no second copy of a pin", () => {
    const text = "Never push to main.";
    const pin = { id: asPinId("p"), text, authority: "user", origin: "explicit" } as const;
    expect(constraintsOf(started().user(text), { pins: [pin] })).toEqual([]);
  });
});
