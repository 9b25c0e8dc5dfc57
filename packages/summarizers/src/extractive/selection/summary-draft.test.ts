import { applySummaryChanges, asMessageId, finishSteps, renderSummary } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Conversation, requestFor } from "../../testing/conversation.ts";
import type { Candidate } from "../collectors/span-collector.ts";
import { SummaryDraft } from "./summary-draft.ts";

/** Sentences of three messages, in the order in which a summary happens to choose them. */
const chosen: fc.Arbitrary<readonly Candidate[]> = fc
  .shuffledSubarray(
    [1, 2, 3].flatMap((message) => [0, 1, 2, 3].map((at) => [message, at] as const)),
    { minLength: 1 },
  )
  .map((places) =>
    places.map(([message, at]) => ({
      ...{ section: "facts", worth: 1, sequence: at },
      item: { text: `Module ${message}.${at} parses dates.`, at, sources: [asMessageId(`m${message}`)], by: "handoff" },
    })),
  );

it("law: a draft counts the text that is shown, in whatever order its items were chosen", () => {
  const { messages } = new Conversation().user("Go.").agent("I look.").agent("I look again.");
  const request = requestFor(messages);
  fc.assert(
    fc.property(chosen, (candidates) => {
      const draft = new SummaryDraft(request, [], new Set());
      for (const candidate of candidates) draft.add(candidate, 1);
      finishSteps(draft.locate());
      const { summary } = applySummaryChanges(null, request.span, draft.changes);
      expect(draft.text()).toBe(renderSummary(summary));
    }),
    runs(200),
  );
});
