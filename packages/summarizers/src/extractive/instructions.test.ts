import { describe, expect, it } from "vitest";
import { Conversation, requestFor, summarizedNow, summaryOf } from "../testing/conversation.ts";
import { InstructionWords } from "./text/words.ts";

const long = Array.from({ length: 40 }, (_, index) => index)
  .reduce(
    (talk, index) =>
      talk
        .tool("edit", { path: `src/part_${index}.ts`, oldText: "a", newText: `b_${index}` }, "ok")
        .agent(
          `Part ${index} was rewritten, because its lookups were slow. Cache number ${index * 7919} of it was dropped for table ${index * 104729}. All of its callers were changed as well.`,
        ),
    new Conversation()
      .user("Rewrite all parts.")
      .agent(
        "First I looked around. The header is read twice. The table is built once. The login cookie expires after nine minutes. The rest is plain.",
      ),
  )
  .bash("npm run lint", "2 problems", 1)
  .user("And the changelog?")
  .agent("It is written by the release script, so I left it alone.").messages;
const maxTokens = 320;
const cookie = "The login cookie expires after nine minutes.";

const unused = (instructions: string, messages = long, room = maxTokens) =>
  summarizedNow(requestFor(messages, { maxTokens: room, instructions })).instructionsUnused;

describe("instructions without a model", () => {
  it("are searched for: a sentence that has them is quoted where it was not, and nothing is lost of the room", () => {
    expect(summaryOf(long, { maxTokens }).text).not.toContain(cookie);
    const { text } = summaryOf(long, { maxTokens, instructions: "Please focus on the login cookie" });
    expect(text).toContain(cookie);
    expect(Math.ceil(text.length / 4)).toBeLessThanOrEqual(maxTokens);
    expect(unused("Please focus on the login cookie")).toBeUndefined();
  });

  it("prefer the file that they name, by any part of its path", () => {
    const edits = long.slice(0, 82);
    const shown = (instructions?: string): string =>
      summaryOf(edits, { maxTokens: 250, ...(instructions !== undefined && { instructions }) }).text;
    expect(shown()).not.toContain("part_3.ts");
    expect(shown("What happened to part_3.ts?")).toContain("part_3.ts");
  });

  it("may name a part of the summary", () => {
    const lines = (instructions?: string): number =>
      summaryOf(long, { maxTokens, ...(instructions !== undefined && { instructions }) }).summary.files.length;
    expect(lines("only the files")).toBeGreaterThan(lines());
  });

  it.each([
    ["what nobody said", "Tell me about kubernetes ingress."],
    ["nothing but how to summarize", "Please summarize this, and keep it to what is needed."],
    ["nothing", ""],
  ])("say that they had no effect when they ask for %s, and the summary is the one without them", (_, instructions) => {
    expect(summaryOf(long, { maxTokens, instructions }).text).toBe(summaryOf(long, { maxTokens }).text);
    expect(unused(instructions)).toBe(true);
  });

  it("do not count a word that most of what there is has", () => {
    const texts = ["the parser is slow", "the parser is fast", "the parser is old", "the parser fails", "a cookie"];
    expect(new InstructionWords("parser cookie").sharesIn(texts)).toEqual([0, 0, 0, 0, 0.5]);
    expect(new InstructionWords("the summary, please").areGiven).toBe(false);
  });

  it("say so as well when all that they ask for is told anyway", () => {
    const short = new Conversation().user("Fix the login cookie.").agent("The login cookie lives longer now.").messages;
    expect(unused("login cookie", short)).toBe(true);
    expect(summarizedNow(requestFor(short))).not.toHaveProperty("instructionsUnused");
  });
});
