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

describe("the decisions of a summary", () => {
  const decisionsOf = (text: string): readonly string[] =>
    summaryOf(new Conversation().user("Repair the cache of the importer.").agent(text)).summary.decisions.map(
      ({ decision }) => decision,
    );

  it.each([
    "Nothing is decided about folding in this folder.",
    "Which of the two it is was decided before, by a strategy.",
    "The selector has an old implementation with `chalk` instead of the theme.",
    "It seems that `col.parent` is `Session` instead of `Package`.",
    "I bet the editor uses the darker cyan instead of the bright one.",
    "But this adds complexity rather than taking it away.",
    "Whether you require the patch inline rather than as a file.",
  ])("are not what is so, what is guessed and what is asked: %s", (text) => {
    expect(decisionsOf(text)).toEqual([]);
  });

  it.each([
    "It was decided to keep both formats for now.",
    "I decided to buffer the stream in the importer.",
    "But I chose to keep the old reader beside it.",
    "Wait, let's use the buffered reader instead of both.",
    "Padding lines are now repeated instead of left out.",
    "The cleanest approach is to buffer stdin for both.",
    "Use `ceil_div` instead of `triton.cdiv` in Python.",
  ])("are what was chosen: %s", (text) => {
    expect(decisionsOf(text)).toEqual([text.replace(/\.$/, "")]);
  });
});

describe("the facts of a summary", () => {
  // A request of some length, of which the work item tells the first sentences.
  const asked =
    "How does the exporter get from the file to a request? Follow it, and tell me who decides what. ".repeat(4);
  const factsOf = (text: string): readonly string[] =>
    summaryOf(started().user(`${asked}${text}`).agent("Done.")).summary.facts.map((fact) => fact.text);

  it("hold what a user says of a budget, and no order in which the word stands", () => {
    const order = "Then run it once on a small session, with a budget that forces it to fold.";
    expect(factsOf(order)).not.toContain(order);
    expect(factsOf("The budget is 300 dollars.")).toContain("The budget is 300 dollars.");
  });
});
