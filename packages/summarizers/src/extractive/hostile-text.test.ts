import { asToolCallId } from "@threadfold/core";
import { growthOnQuadrupling, patience } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { Conversation, countTokens, requestFor, summarizedNow, summaryOf } from "../testing/conversation.ts";
import { ExtractiveSummarizer } from "./extractive-summarizer.ts";
import { frameOf } from "./reading/result-frame.ts";
import { outputLines } from "./reading/result-reading.ts";

/** Texts that are hard on scanners and on patterns, by the piece that they repeat. */
const PIECES: Readonly<Record<string, string>> = {
  "one endless word": "a",
  "one endless path": "a/",
  dots: ".",
  backslashes: "\\",
  "never never": "never ",
  "unclosed blocks": "<system-reminder>",
  "unclosed fences": "```\n",
  "unclosed quotes": "'\"",
  "sentence ends": "! ",
  markers: "must not always never decided because root cause ",
  "error lines": "Error: x\n",
  "almost errors": "Erro",
  "line numbers": "a.ts:1:2 ",
  "here-documents": "<<EOF ",
  "distinct names": "name_",
  Chinese: "不要删除。",
  emoji: "👩‍👩‍👧",
  "words far apart": `${" ".repeat(39_999)}x`,
};

const SIZE = 1_000_000;

describe("hostile text", () => {
  it.each(Object.entries(PIECES))(
    "ends soon and within the limit: %s",
    (name, piece) => {
      const body =
        name === "distinct names"
          ? Array.from({ length: SIZE / 12 }, (_, index) => `${piece}${index}`).join(" ")
          : piece.repeat(SIZE / piece.length);
      const conversation = new Conversation()
        .user(body)
        .agent(body)
        .tool("bash", { command: `npm test ${body}` }, body, "failure")
        .tool("other", { payload: body }, { value: body })
        .user(`again ${body}`);
      const { text } = summaryOf(conversation, { maxTokens: 1_000 });
      expect(countTokens(text)).toBeLessThanOrEqual(1_000);
      expect(text.isWellFormed()).toBe(true);
    },
    patience(120_000),
  );

  it.each(Object.entries(PIECES))("is read in turns to the same summary as at once: %s", async (_, piece) => {
    const body = piece.repeat(40_000 / piece.length);
    const request = requestFor(
      new Conversation().user(body).agent(body).tool("bash", { command: "ls" }, body).user(body).messages,
    );
    const summarizer = new ExtractiveSummarizer();
    expect(await summarizer.summarize(request)).toEqual(summarizedNow(request));
  });

  it("R29 reads the lines of an output in linear time, also where words stand far apart", async () => {
    const textOf = (size: number): readonly string[] => Array.from({ length: 20 }, () => `${" ".repeat(size)}x`);
    const read = (outputs: readonly string[]) => outputs.map(outputLines);
    expect(await growthOnQuadrupling(textOf, read, 15_000)).toBeLessThan(10);
  });

  it.each([
    ["a dictionary of escaped quotes without an end", "{'", "\\'"],
    ["a dictionary of quotes in turn", "{'", `'"`],
    ["a section of blank lines", "stdout:\n", "\n"],
    ["sections in a row", "stdout:\n", "stderr:\n"],
    ["an exit code of blanks", "exit code: 1\n", " "],
    ["beginnings of stamps in one line", "web-1 ", "a\tb "],
    ["stamps in many lines, some of them cut", "\n", "a\tb\t2026-05-01T12:00:00Z x\na\tb\t2026-05\n"],
  ])("takes time in proportion as the frame of an output: %s", async (_, head, piece) => {
    const textOf = (size: number): string => `${head}${piece.repeat(size)}x`;
    const read = (text: string) => {
      const content = { type: "text", text } as const;
      return frameOf({ toolName: "bash", callId: asToolCallId("c"), outcome: "success", content }, text, true);
    };
    expect(await growthOnQuadrupling(textOf, read, 16_000)).toBeLessThan(10);
  });

  it("ends soon when it is aborted while it reads", async () => {
    const controller = new AbortController();
    const request = requestFor(new Conversation().user("Never use option x.\n".repeat(20_000)).messages);
    const summary = new ExtractiveSummarizer().summarize({ ...request, signal: controller.signal });
    setTimeout(() => controller.abort(new Error("the user left")), 0);
    await expect(summary).rejects.toMatchObject({ code: "ABORTED", cause: { message: "the user left" } });
  });
});
