import type { MessageInput } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { countTokens, dropping, exchange, say, threadOf } from "../../test-support/recall-thread.ts";
import { MemoryRecallIndex } from "./memory-recall-index.ts";
import { quotedTexts } from "./names-in-text.ts";
import { recall } from "./recall-result.ts";

const filler = Array.from({ length: 8 }, (_, number) => say(`n${number}`, "user", `Step ${number} is done.`));

async function found(text: string, ...last: readonly MessageInput[]) {
  const thread = threadOf(
    ...exchange("old", "read", "/srv/app/src/pool.ts", "the connection limit of the pool"),
    say("x", "user", "next"),
    say("said", "user", "could not connect to the limit server today"),
    say("y", "user", "next"),
    ...exchange("new", "read", "/srv/app/src/queue.ts", "the connection limit of the queue"),
    ...filler,
    ...last,
  );
  const plan = dropping(thread, "old", "old-result", "said", "new", "new-result");
  const scene = { index: new MemoryRecallIndex(), thread, plan, countTokens, maxTokens: 2_000 };
  return recall(scene, { text });
}
const order = ({ hits }: Awaited<ReturnType<typeof found>>): readonly string[] =>
  hits.map(({ messageId }) => messageId);

describe("which hits come first", () => {
  it("passages of the file that the newest messages are about, however it is written", async () => {
    expect(order(await found("connection limit")).indexOf("new-result")).toBe(0);
    const editing = exchange("edit", "edit", "./src/pool.ts", "ok");
    expect(order(await found("connection limit", ...editing)).indexOf("old-result")).toBe(0);
  });

  it("passages that hold a quote of the query word for word, whatever its case and white space", async () => {
    const words = "connection limit pool queue";
    expect(order(await found(words))[0]).not.toBe("said");
    expect(order(await found(`${words} "Connect to  the limit"`))[0]).toBe("said");
    expect(order(await found(`${words} „connect to the limit“`))[0]).toBe("said");
  });

  it("quotes of several words stand among the names", async () => {
    const thread = threadOf(
      say("a", "user", 'the pool said "too many open handles" today'),
      say("b", "user", "and now?"),
    );
    const scene = { index: new MemoryRecallIndex(), thread, plan: dropping(thread, "a"), countTokens };
    const { names } = await recall({ ...scene, maxTokens: 1_000 }, { text: "pool" });
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
