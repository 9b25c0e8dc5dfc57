import { type Part, type ProviderAwareTokenizer, TokenLedger } from "@threadfold/core";
import { call, countingTokenizer, result } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORMATS } from "../formats/formats.ts";
import { renderInputs } from "../laws/render-inputs.ts";
import { planWith, recordOver, threadOf } from "../testing/sample-thread.ts";
import { renderRequest } from "./render-request.ts";

/** Counts what is asked of it, and charges call ids as well. */
function watchedTokenizer(id: string): ProviderAwareTokenizer & { readonly counted: Part[] } {
  const base = countingTokenizer();
  const counted: Part[] = [];
  const idOf = (part: Part): string =>
    part.type === "tool-call" ? part.callId : part.type === "tool-result" ? part.result.callId : "";
  const countPart = (part: Part): number => {
    counted.push(part);
    return base.countPart(part) + base.countTokens(idOf(part));
  };
  const countMessage: ProviderAwareTokenizer["countMessage"] = ({ role, parts }) =>
    parts.reduce((sum, part) => sum + countPart(part), base.messageOverhead(role));
  const countRequest: ProviderAwareTokenizer["countRequest"] = (request) =>
    base.countRequest({ ...request, messages: [] }) +
    request.messages.reduce((sum, message) => sum + countMessage(message), 0);
  return { ...base, id, countPart, countMessage, countRequest, counted };
}

describe("token counting while rendering", () => {
  it("equals the count of the whole request, even for a counter that charges call ids", () => {
    fc.assert(
      fc.property(renderInputs, fc.constantFrom(...FORMATS), (input, format) => {
        const tokenizer = watchedTokenizer("ids");
        const ledger = TokenLedger.empty(tokenizer, () => "anchoring").extend(input.thread);
        const { request, tokens } = renderRequest({ ...input, ledger }, format);
        expect(tokens).toBe(tokenizer.countRequest(request));
      }),
      { numRuns: 200 },
    );
  });

  it("never counts a body of the thread again, not even when its call id changed", () => {
    const body = "x".repeat(1_000);
    const thread = threadOf(
      ["user", body],
      ["assistant", { type: "reasoning", text: body }, body, call("a|b", "write", { content: body })],
      ["tool", result("a|b", body)],
      ["tool", result("z", body)],
      ["user", "on"],
    );
    const tokenizer = watchedTokenizer("watched");
    const ledger = TokenLedger.empty(tokenizer, () => "anchoring").extend(thread);
    tokenizer.counted.length = 0;
    for (const format of FORMATS)
      renderRequest({ thread, plan: planWith(thread), ledger, system: [], tools: [] }, format);
    expect(tokenizer.counted.filter((part) => JSON.stringify(part).length > 500)).toEqual([]);
  });

  it("counts synthetic content once per counter, however often it is rendered", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a|b")],
      ["tool", result("a|b", "long")],
      ["user", "on"],
    );
    const plan = planWith(thread, {
      ...recordOver(thread, 3),
      action: "clear",
      targets: ["tool-result"],
      preservedFields: {},
    });
    const tokenizer = watchedTokenizer("once");
    const ledger = TokenLedger.empty(tokenizer, () => "anchoring").extend(thread);
    const render = () =>
      FORMATS.map((format) => renderRequest({ thread, plan, ledger, system: [], tools: [] }, format).tokens);
    const first = render();
    tokenizer.counted.length = 0;
    expect(render()).toEqual(first);
    expect(tokenizer.counted).toEqual([]);
  });
});
