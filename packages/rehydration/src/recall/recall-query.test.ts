import type { MessageInput } from "@threadfold/core";
import { messageInputs, runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exchange, say, threadOf } from "../../test-support/recall-thread.ts";
import { recallQuery } from "./recall-query.ts";

const query = (...messages: readonly MessageInput[]): readonly string[] =>
  recallQuery([...threadOf(...messages).messages]).split(" ");

describe("a query from the last messages", () => {
  it("puts names before words, and what is newer or the agent's own before what is older or a result", () => {
    const words = query(
      say("u", "user", "please look at the loader"),
      ...exchange("a", "read", "src/old_loader.ts", "value of retryCount is unknown"),
      say("b", "assistant", "Now I check parseConfig"),
    );
    const place = (word: string): number => words.indexOf(word);
    expect(words[0]).toBe("parseConfig");
    expect(place("src/old_loader.ts")).toBeGreaterThan(0);
    expect(place("src/old_loader.ts")).toBeLessThan(place("retryCount"));
    expect(place("retryCount")).toBeLessThan(place("value"));
  });

  it("reads only the last six messages", () => {
    const many = Array.from({ length: 8 }, (_, number) => say(`m${number}`, "assistant", `word_${number}`));
    expect(query(...many).toSorted()).toEqual(["word_2", "word_3", "word_4", "word_5", "word_6", "word_7"]);
  });

  it("is empty for nothing and never more than 400 words, whatever was said", () => {
    expect(recallQuery([])).toBe("");
    fc.assert(
      fc.property(messageInputs({ malformed: true, maxMessages: 10 }), (messages) => {
        const said = [...threadOf(...messages).messages];
        const text = recallQuery(said);
        expect(text.split(" ").length).toBeLessThanOrEqual(400);
        expect(recallQuery(said)).toBe(text);
      }),
      runs(50),
    );
  });
});
