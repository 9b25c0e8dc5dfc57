import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatLaws } from "../laws/format-laws.ts";
import { signedInputs } from "../testing/signed-inputs.ts";
import { aiSdk } from "./ai-sdk/format.ts";
import { anthropicMessages } from "./anthropic-messages/format.ts";
import { gemini } from "./gemini/format.ts";
import { openaiChat } from "./openai-chat/format.ts";
import { openaiResponses } from "./openai-responses/format.ts";

describe.each(
  [openaiChat, openaiResponses, gemini, anthropicMessages, aiSdk].map((format) => [format.id, format] as const),
)("%s", (_id, format) => {
  it("keeps its laws with ids, signatures and hosted items of its provider in the log (W15, W16)", () => {
    const laws = formatLaws(format);
    fc.assert(
      fc.property(signedInputs, (input) => {
        expect(
          laws.flatMap(({ name, broken }) => {
            const problem = broken(input);
            return problem === null ? [] : [`${name}: ${problem}`];
          }),
        ).toEqual([]);
      }),
      runs(60),
    );
  });
});
