import type { MessageInput } from "@threadfold/core";
import { message, messageInputs, runs, threadOf } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTokens, dropping, exchange } from "../testing/recall-thread.ts";
import { MemoryRecallIndex } from "./memory-index.ts";
import { quotedTexts } from "./names.ts";
import { recallQuery } from "./recall-query.ts";
import { recall } from "./recall-result.ts";

const filler = Array.from({ length: 8 }, (_, number) => message(`n${number}`, "user", `Step ${number} is done.`));

async function found(text: string, ...last: readonly MessageInput[]) {
  const thread = threadOf(
    ...exchange("old", "read", "/srv/app/src/pool.ts", "the connection limit of the pool"),
    message("x", "user", "next"),
    message("said", "user", "could not connect to the limit server today"),
    message("y", "user", "next"),
    ...exchange("new", "read", "/srv/app/src/queue.ts", "the connection limit of the queue"),
    ...filler,
    ...last,
  );
  const plan = dropping(thread, "old", "old-result", "said", "new", "new-result");
  const sources = { index: new MemoryRecallIndex(), thread, plan, countTokens, maxTokens: 2_000 };
  return recall(sources, { text });
}
const order = ({ hits }: Awaited<ReturnType<typeof found>>): readonly string[] =>
  hits.map(({ messageId }) => messageId);

describe("the first hits of a recall", () => {
  it("are passages of the file that the newest messages are about, however its path is written", async () => {
    expect(order(await found("connection limit")).indexOf("new-result")).toBe(0);
    const editing = exchange("edit", "edit", "./src/pool.ts", "ok");
    expect(order(await found("connection limit", ...editing)).indexOf("old-result")).toBe(0);
  });

  it("are passages that contain a quote of the query, whatever its case and white space", async () => {
    const words = "connection limit pool queue";
    expect(order(await found(words))[0]).not.toBe("said");
    expect(order(await found(`${words} "Connect to  the limit"`))[0]).toBe("said");
    expect(order(await found(`${words} „connect to the limit“`))[0]).toBe("said");
  });

  it("come with names that include quotes of several words", async () => {
    const thread = threadOf(
      message("a", "user", 'the pool said "too many open handles" today'),
      message("b", "user", "and now?"),
    );
    const sources = { index: new MemoryRecallIndex(), thread, plan: dropping(thread, "a"), countTokens };
    const { names } = await recall({ ...sources, maxTokens: 1_000 }, { text: "pool" });
    expect(names).toContain("too many open handles");
  });
});

describe("quotes of several words", () => {
  it.each<[string, readonly string[]]>([
    ['say "session is nil" twice: "session is nil"', ["session is nil"]],
    ["don't say 'no such file' or it's wrong", ["no such file"]],
    ["`npm run build` and `build`", ["npm run build"]],
    ["「接続 エラー です」と «pas de réponse»", ["接続 エラー です", "pas de réponse"]],
    ['"a b" and "one\ntwo three"', []],
  ])("%j", (text, quotes) => expect(quotedTexts(text)).toEqual(quotes));
});

const query = (...messages: readonly MessageInput[]): readonly string[] =>
  recallQuery([...threadOf(...messages).messages]).split(" ");

describe("a query from the last messages", () => {
  it("puts names before words, and newer text and the agent's own before older text and results", () => {
    const words = query(
      message("u", "user", "please look at the loader"),
      ...exchange("a", "read", "src/old_loader.ts", "value of retryCount is unknown"),
      message("b", "assistant", "Now I check parseConfig"),
    );
    const place = (word: string): number => words.indexOf(word);
    expect(words[0]).toBe("parseConfig");
    expect(place("src/old_loader.ts")).toBeGreaterThan(0);
    expect(place("src/old_loader.ts")).toBeLessThan(place("retryCount"));
    expect(place("retryCount")).toBeLessThan(place("value"));
  });

  it("reads only the last six messages", () => {
    const many = Array.from({ length: 8 }, (_, number) => message(`m${number}`, "assistant", `word_${number}`));
    expect(query(...many).toSorted()).toEqual(["word_2", "word_3", "word_4", "word_5", "word_6", "word_7"]);
  });

  it("is empty without messages and never longer than 400 words", () => {
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
