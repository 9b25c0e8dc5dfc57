import { asPinId } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { Conversation, requestFor, summarizedNow, summaryOf } from "../../testing/conversation.ts";

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
    const { changes } = summarizedNow(
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
    "Uses `Text` and `Spacer` components instead of rendering raw strings.",
    "Now it just uses the theme instead of chalk for all styling.",
    "TestInstallHooks_Idempotent - second install returns 5 instead of 0",
    "We're counting all lines in touched files instead of lines changed in the commit.",
    "Both should now render identically — we're using pure RGB values instead of the terminal's own palette.",
    "The theme loader should catch this error gracefully instead of crashing.",
    "It should be `my_types.JSONObject` instead of `Dict[str, Any]`.",
    "Expected: `types.JSONObject` instead of `Dict[str, Any]`.",
    'Initials: "JN" (instead of the hardcoded "CN")',
    "The change to use the command instead of the library is unrelated to this issue.",
    "More passive - reads what the session has rather than requiring callbacks.",
    "I will use `ed` to modify `src/_pytest/main.py`.",
    "I'll replace the `related_objects` method of the collector.",
    "Let's use find_file to see where the cart is.",
    "I've updated the `NavUser` component to show the initials instead of a fixed text.",
    "Updated both tests to use the computed `initials` instead of a fixed text.",
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
    "I'll use `torch.full` instead of filling an empty tensor.",
    "We will use the cookie, because the header is not always there.",
    "Naming clarity: `InteractiveMode` instead of `TuiRenderer`.",
  ])("are what was chosen: %s", (text) => {
    const [, said = text] = /^(.*?), because/.exec(text) ?? [];
    expect(decisionsOf(text).map((told) => told.replace(/,$/, ""))).toEqual([said.replace(/\.$/, "")]);
  });

  it("are told once, in whatever words", () => {
    expect(
      decisionsOf(
        "Use ceil_div instead of triton.cdiv in Python-side logic (less overhead).\n\nceil_div instead of triton.cdiv in Python paths.",
      ),
    ).toHaveLength(1);
  });
});

describe("the facts of a summary", () => {
  // A request of some length, of which the work item tells the first sentences.
  const asked =
    "How does the exporter get from the file to a request? Follow it, and tell me who decides what. ".repeat(4);
  const factsOf = (text: string): readonly string[] =>
    summaryOf(started().user(`${asked}${text}`).agent("Done.")).summary.facts.map((fact) => fact.text);

  it("hold what a user says of a budget, no order in which the word stands, and no doubt", () => {
    const order = "Then run it once on a small session, with a budget that forces it to fold.";
    expect(factsOf(order)).not.toContain(order);
    expect(factsOf("The budget is 300 dollars.")).toContain("The budget is 300 dollars.");
    for (const doubt of [
      "i have a feeling you need to read all of it.",
      "I'm not sure about my order.",
      "I am a bit lost here.",
    ])
      expect(factsOf(doubt)).not.toContain(doubt);
  });
});

describe("the findings of a summary", () => {
  const found = (text: string, maxTokens = 2_000): string =>
    summaryOf(started().user("Make the search faster.").agent(text).user("Go on.").agent("I looked on."), {
      maxTokens,
    })
      .summary.facts.map((fact) => fact.text)
      .join("\n");

  it("hold nothing of a patch that stands in a message outside of a code block, and what is said below it", () => {
    const patch = `The search is three times faster, since it reads the index once. The patch:

diff --git a/src/search.ts b/src/search.ts
index f272e23..5df6633 100644
--- a/src/search.ts
+++ b/src/search.ts
@@ -100,3 +125,4 @@ class Search {
 const reader = openReader(this.path);
-for (const word of words) reader.find(word);
+const index = reader.readIndex();
+for (const word of words) index.find(word);
 reader.close();
- The tests of src/search.ts take four seconds now.
The index of src/search.ts is closed behind the last word.`;
    const told = found(patch);
    for (const piece of ["diff --git", "f272e23", "@@", "readIndex()", "openReader", "reader.find"])
      expect(told).not.toContain(piece);
    expect(told).toContain("The tests of src/search.ts take four seconds now.");
    expect(told).toContain("The index of src/search.ts is closed behind the last word.");
  });

  it("tell what leads to a block of code or a call after all else", () => {
    const conversation = started().user("Make the search faster.");
    const said = [
      "Other hooks with `getwd()` that were looked at before:\n\n```\nsrc/a.go\n```",
      "The reader in src/reader.go opens its file once for every word of a query.",
      "Names in src/writer.go which are changed by hand in this call:",
      "A writer keeps the lock of src/lock.go while it sleeps between two tries.",
      "Entries of src/cache.go are never dropped, so that memory grows by the hour.",
    ];
    for (const text of said) conversation.agent(text).bash("ls", "src");
    const told = summaryOf(conversation, { maxTokens: 170 }).text;
    for (const text of ["The reader in", "A writer keeps", "Entries of"]) expect(told).toContain(text);
    for (const text of ["Other hooks", "Names in"]) expect(told).not.toContain(text);
  });

  it("leave out a patch of which only the end is read", () => {
    const lines = Array.from({ length: 90 }, (_, index) => `+const total_${index} = readTotal(cart, ${index});`);
    const told = found(
      `The search is three times faster now.\n\n@@ -1,1 +1,91 @@\n const first = 1;\n${lines.join("\n")}\nThe index of src/search.ts is closed behind it.`,
    );
    expect(told).not.toContain("readTotal");
    expect(told).toContain("closed behind it");
    const framed = `*** Begin Patch\n*** Update File: src/search.ts\n@@\n${lines.join("\n")}\n*** End Patch\n`;
    for (const before of ["", "The search is three times faster now.\n"]) {
      const said = found(`${before}${framed}The index of src/search.ts is closed behind it.`);
      expect(said).not.toContain("readTotal");
      expect(said).toContain("closed behind it");
    }
  });
});
