import {
  applySummaryChanges,
  asMessageId,
  asPinId,
  type Pin,
  type StructuredSummary,
  type SummarizeRequest,
  type Summarizer,
  type SummaryChange,
} from "@threadfold/core";
import { agentThreads, runs, structuredSummaries } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExtractiveSummarizer } from "../extractive/extractive-summarizer.ts";
import { rejectionReason } from "../llm/answer/rejection.ts";
import { Conversation, requestFor } from "../testing/conversation.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import {
  checkedSummarizer,
  DEFAULT_CHECKS,
  identifiersExact,
  notBlank,
  pinsPresent,
  rulesKept,
  secondOpinion,
  sourcesKnown,
} from "./summary-checks.ts";

const messages = new Conversation()
  .user("Make src/parser.ts faster. Never touch config/production.yaml.")
  .bash("npm test", `parseHeader_v2 throws on empty lines ${"and more ".repeat(200)}`, 1).messages;
const request = requestFor(messages);
const sources = [messages[0]?.id ?? asMessageId("m")];
const fact = (text: string, from = sources): SummaryChange => ({
  op: "add",
  section: "facts",
  item: { text, sources: from },
});
const file = (path: string): SummaryChange => ({
  op: "add",
  section: "files",
  item: { path, action: "modified", description: "", sources },
});
const saying = (changes: readonly SummaryChange[]): Summarizer => ({
  id: "says",
  summarize: async () => ({ changes }),
});
const reasonOf = (changes: readonly SummaryChange[], checks = DEFAULT_CHECKS, asked: SummarizeRequest = request) =>
  checkedSummarizer(saying(changes), checks)
    .summarize(asked)
    .then(() => null, rejectionReason);

const previous: StructuredSummary = applySummaryChanges(null, request.span, [
  { op: "add", section: "constraints", item: { text: "Never push.", sources } },
  {
    op: "add",
    section: "openItems",
    item: { description: "Bench", context: "", priority: "low", status: "open", sources },
  },
]).summary;
const [rule, open] = [previous.constraints[0]?.id ?? "", previous.openItems[0]?.id ?? ""];

describe("checkedSummarizer", () => {
  it.each<[string, readonly SummaryChange[], SummarizeRequest, string | null]>([
    ["good notes", [fact("parseHeader_v2 throws on empty lines")], request, null],
    ["nothing to say", [], request, null],
    ["S18: blank changes", [{ op: "set-current-task", task: " " }], request, "blank"],
    ["S32: more than there was", [fact("many words ".repeat(2_000))], request, "inflated"],
    ["an invented path", [fact("It is in src/lexer_v9.ts.")], request, "invented-identifier"],
    [
      "an invented identifier",
      [{ op: "add", section: "identifiers", item: { text: "deadbeef99", sources } }],
      request,
      "invented-identifier",
    ],
    ["a path that is joined of a folder and a path", [file("config/src/parser.ts")], request, null],
    ["a path of which a folder is invented", [file("lexer_v9/src/parser.ts")], request, "invented-identifier"],
    ["another thread's message", [fact("It throws.", [asMessageId("elsewhere")])], request, "foreign-source"],
    [
      "P5: a rule taken out",
      [{ op: "resolve", section: "constraints", itemId: rule, reason: "x" }],
      { ...request, previous },
      "rule-lost",
    ],
    [
      "P5: open work taken out",
      [{ op: "resolve", section: "openItems", itemId: open, reason: "x" }],
      { ...request, previous },
      "rule-lost",
    ],
  ])("says what is wrong with %s", async (_, changes, asked, reason) => {
    expect(await reasonOf(changes, DEFAULT_CHECKS, asked)).toBe(reason);
  });

  it("S32: lets a line about a single short message take more than the message, but no list", async () => {
    const short = requestFor(new Conversation().user("Please go on.").messages);
    const from = short.span.messageIds.slice(0, 1);
    expect(await reasonOf([fact("The user said to go on.", from)], DEFAULT_CHECKS, short)).toBeNull();
    const list = Array.from({ length: 9 }, (_, at) => fact(`The user said to go on, time ${at}.`, from));
    expect(await reasonOf(list, DEFAULT_CHECKS, short)).toBe("inflated");
  });

  it("wants the text of pins when it is told to", async () => {
    const pin: Pin = {
      id: asPinId("p"),
      text: "Never touch\nconfig/production.yaml.",
      authority: "user",
      origin: "explicit",
    };
    const asked = { ...request, pins: [pin] };
    expect(await reasonOf([fact("It throws.")], [pinsPresent], asked)).toBe("pin-missing");
    expect(await reasonOf([fact(pin.text)], [pinsPresent], asked)).toBeNull();
  });

  it("law: what the extractive summarizer says passes", async () => {
    const checks = [notBlank, sourcesKnown, rulesKept, identifiersExact];
    const cases = agentThreads({ malformed: true, maxMessages: 16 })
      .filter((thread) => thread.length > 0)
      .chain((thread) =>
        fc.option(structuredSummaries(requestFor([...thread.messages]).span)).map((before) => ({ thread, before })),
      );
    await fc.assert(
      fc.asyncProperty(cases, async ({ thread, before }) => {
        const asked = requestFor([...thread.messages], { previous: before, maxTokens: 1_000 });
        await checkedSummarizer(new ExtractiveSummarizer(), checks).summarize(asked);
      }),
      runs(80),
    );
  });
});

describe("secondOpinion", () => {
  const notes = [fact("It throws.")];
  it.each<[string, string | Error, string | null]>([
    ["good", '{"verdict":"good"}', null],
    ["bad", 'Hm. {"verdict":"bad","problem":"The rule is missing."}', "second-opinion"],
    ["useless", "Looks fine to me", null],
    ["an error", new Error("down"), null],
  ])("takes a verdict that is %s for what it is", async (_, answer, reason) => {
    const model = new ScriptedModel([answer]);
    expect(await reasonOf(notes, [secondOpinion({ model })])).toBe(reason);
    expect(model.requests[0]?.messages[0]?.text).toContain("parseHeader_v2 throws");
  });

  it("costs what it costs: its request and the usage are reported, besides those of the summary", async () => {
    const usage = { inputTokens: 900, outputTokens: 12 };
    const byModel: Summarizer = { id: "says", summarize: async () => ({ changes: notes, usage }) };
    const reporting: Summarizer = {
      id: "reports",
      summarize: async ({ meter }) => {
        meter?.asked();
        meter?.answered(usage);
        return { changes: notes, usage };
      },
    };
    for (const summarizer of [byModel, reporting]) {
      const reported: unknown[] = [];
      const meter = { asked: () => reported.push("asked"), answered: (used: unknown) => reported.push(used) };
      const model = new ScriptedModel(['{"verdict":"good"}']);
      await checkedSummarizer(summarizer, [secondOpinion({ model })]).summarize({ ...request, meter });
      expect(reported, summarizer.id).toEqual(["asked", usage, "asked", { inputTokens: 100, outputTokens: 10 }]);
    }
  });

  it("refuses without a verdict when it is told to be a gate", async () => {
    const model = new ScriptedModel(["Looks fine to me"]);
    expect(await reasonOf(notes, [secondOpinion({ model, otherwise: "refuse" })])).toBe("second-opinion");
  });
});
