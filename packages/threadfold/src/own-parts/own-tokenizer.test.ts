import { type Part, type ProviderAwareTokenizer, systemText } from "@threadfold/core";
import { brokenLaws, keepLaws, tokenizerLaws } from "threadfold/laws";
import { describe, expect, it } from "vitest";

const wordsIn = (text: string): number => text.split(/\s+/u).length;
const partWords = (part: Part): number => wordsIn(part.type === "text" ? part.text : JSON.stringify(part));

/** A counter as somebody else would write it: a word is a token. */
const words: ProviderAwareTokenizer = {
  id: "words",
  countTokens: wordsIn,
  countPart: partWords,
  messageOverhead: () => 2,
  countMessage: ({ parts }) => parts.reduce((sum, part) => sum + partWords(part), 2),
  countToolSchemas: (tools) => tools.reduce((sum, tool) => sum + wordsIn(JSON.stringify(tool)), 0),
  countRequest: (request) =>
    request.system.reduce((sum, entry) => sum + wordsIn(systemText(entry)), 0) +
    request.messages.reduce((sum, message) => sum + words.countMessage(message), 0) +
    words.countToolSchemas(request.tools),
};

keepLaws("a counter of one's own", tokenizerLaws(words), { describe, it });

describe("a counter of one's own", () => {
  it("breaks the laws when it forgets tools and counts halves", async () => {
    const careless: ProviderAwareTokenizer = {
      ...words,
      countTokens: (text) => text.length / 2,
      countToolSchemas: () => 0,
    };
    expect((await brokenLaws(tokenizerLaws(careless))).map(({ name }) => name)).toEqual([
      "figures are whole and never negative",
      "tool schemas are counted, and cost nothing when there are none",
    ]);
  });
});
