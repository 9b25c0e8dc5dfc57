import { type DropRecord, emptyPlan, spanOf } from "@threadfold/core";
import { assistant, message } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { answers, calls, threadOf } from "../testing/fold-case.ts";
import { turnOf } from "../testing/turn-case.ts";
import { HIDDEN_KINDS, type HiddenContent, hiddenContent } from "./hidden-content.ts";

/** What the prompt no longer says when these messages are dropped, as texts. */
function hidden(thread: ReturnType<typeof threadOf>, ...ids: readonly string[]): Promise<HiddenContent> {
  const { renderer, plan } = turnOf(thread);
  const span = spanOf([...thread.messages].filter(({ id }) => ids.includes(id)));
  const drop: DropRecord = {
    ...{ action: "drop", span, strategy: "drop", reason: "to make room", sincePlanVersion: 1 },
    ...{ originalTokens: 9, keywords: [] },
  };
  const folded = { ...emptyPlan(thread.id, "test"), drops: [drop] };
  return hiddenContent(thread, folded, renderer.rendering(plan).request, renderer.rendering(folded).request);
}
const textsOf = (content: HiddenContent, kind: keyof HiddenContent) => content[kind].items.map(({ text }) => text);

describe("hiddenContent", () => {
  it("is empty if nothing was removed or all of it is still shown elsewhere", async () => {
    const thread = threadOf(message("u1", "user", "The limit is 4,500 MB."), assistant("a1", "The limit is 4,500 MB."));
    const none = await hidden(thread, "u1");
    for (const kind of HIDDEN_KINDS) expect(none[kind]).toEqual({ items: [], total: 0 });
    const { renderer, plan } = turnOf(thread);
    const { request } = renderer.rendering(plan);
    const shown = await hiddenContent(thread, plan, request, request);
    for (const kind of HIDDEN_KINDS) expect(shown[kind].total).toBe(0);
    expect(textsOf(await hidden(thread, "u1", "a1"), "numbers")).toEqual(["4,500 MB"]);
  });

  it.each<[string, readonly string[]]>([
    ["It took 1234 and 12 and 7.", ["1234"]],
    ["It took 12 ms, 3.5 s and 40 %.", ["12 ms", "3.5", "40 %"]],
    ["Of 1,000,000 tokens 123 tokens are left.", ["1,000,000 tokens", "123 tokens"]],
    ["Version 1.2.3, path /100/200, x-300 and 2026-11-27.", []],
    ["It is 512KiB or 5 minutes or 16x.", ["512KiB", "5 minutes", "16x"]],
    ["Twice 999, and 999 again.", ["999"]],
  ])("lists the figures of a text, but not its small counts: %s", async (text, figures) => {
    expect(textsOf(await hidden(threadOf(assistant("a1", text)), "a1"), "numbers")).toEqual(figures);
  });

  it("lists a hidden number even if its digits occur inside another number", async () => {
    const thread = threadOf(assistant("a1", "The port is 808."), assistant("a2", "The port was 8080."));
    expect(textsOf(await hidden(thread, "a1"), "numbers")).toEqual(["808"]);
  });

  it("lists numbers in messages before numbers in tool output, each with its message", async () => {
    const thread = threadOf(
      calls("a1", "c1", "bash"),
      answers("t1", "c1", "bash", "total 777 and 888"),
      assistant("a2", "So 888 of 999 it is."),
    );
    expect((await hidden(thread, "a1", "t1", "a2")).numbers).toEqual({
      ...{ total: 3 },
      items: [
        { text: "888", messageId: "a2" },
        { text: "999", messageId: "a2" },
        { text: "777", messageId: "t1" },
      ],
    });
  });

  it("lists decisions, constraints, files and identifiers with their message ids", async () => {
    const thread = threadOf(
      message("u1", "user", "Never push to main without asking me."),
      assistant("a1", "Decision: we use PostgreSQL for the queue, because it is there."),
      calls("a2", "c2", "write_file", { path: "src/queue/worker.ts", content: "x" }),
      answers("t2", "c2", "write_file", "ok, request req_4711abcd99 was logged"),
    );
    const content = await hidden(thread, "u1", "a1", "a2", "t2");
    expect(content.constraints).toMatchObject({ total: 1, items: [{ messageId: "u1" }] });
    expect(content.constraints.items[0]?.text).toContain("Never push to main");
    expect(textsOf(content, "decisions").join()).toContain("PostgreSQL");
    expect(content.decisions.items[0]?.messageId).toBe("a1");
    const names = [...textsOf(content, "files"), ...textsOf(content, "identifiers")].join();
    expect(names).toContain("req_4711abcd99");
  });

  it("lists forty items of a kind, and counts all", async () => {
    const numbers = Array.from({ length: 45 }, (_, at) => 1_000 + at);
    const { items, total } = (await hidden(threadOf(assistant("a1", numbers.join(" and "))), "a1")).numbers;
    expect([items.length, total, items[0]?.text, items.at(-1)?.text]).toEqual([40, 45, "1000", "1039"]);
  });
});
