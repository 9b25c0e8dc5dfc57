import { describe, expect, it } from "vitest";
import { call, message as messageOf, result } from "../laws/messages.ts";
import { asThreadId } from "../model/ids.ts";
import { type Message, type MessageInput, visibleText } from "../model/message.ts";
import type { ToolResultContent } from "../model/part.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import type { Pin } from "../thread/thread-entry.ts";
import { detectConstraints, type RuleCandidate, saidRules } from "./detect-constraints.ts";

describe("a rule in the reason for which a call was refused", () => {
  const rule = "Never commit without asking me.";
  const refusal = `The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n`;
  const refused = (body: string | ToolResultContent, outcome: "success" | "failure" = "failure") =>
    messageOf("r", "tool", result("c", body, { toolName: "bash", outcome }));
  const saidIn = (input: MessageInput, live: readonly Pin[] = []) => {
    const message = AgentThread.empty(asThreadId("t"))
      .append([messageOf("a", "assistant", call("c", "bash", { command: "git commit" })), input])
      .messageAt(1) as Message;
    return { message, ...saidRules(message, () => live) };
  };

  it.each<[string, string, string | ToolResultContent, "success" | "failure"]>([
    ["Claude Code", rule, `${refusal}${rule}`, "failure"],
    ["Claude Code, with a note", rule, `${refusal}${rule}\n\nNote: The user's next message may say more.`, "failure"],
    [
      "Cline",
      rule,
      `The user denied this operation and provided the following feedback:\n<feedback>\n${rule}\n</feedback>`,
      "success",
    ],
    ["OpenHands", rule, `Action rejected: ${rule}`, "failure"],
    ["Roo Code", rule, JSON.stringify({ status: "denied", feedback: rule }), "success"],
  ])("is a candidate and no pin, at its place: %s", (_, text, body, outcome) => {
    const { message, made, candidates } = saidIn(refused(body, outcome));
    expect(made).toEqual([]);
    expect(candidates).toMatchObject([{ kind: "rule", doubt: "refusal", text, authority: "user" }]);
    const { start, end } = (candidates[0] as RuleCandidate).source;
    expect(visibleText(message).slice(start, end)).toBe(text);
  });

  it("is a candidate where the refused call asks the user something, too", () => {
    const message = AgentThread.empty(asThreadId("t"))
      .append([
        messageOf("a", "assistant", call("c", "ask_user", { question: "Commit?" })),
        refused(`${refusal}${rule}`),
      ])
      .messageAt(1) as Message;
    const { made, candidates } = saidRules(message, () => [], ["Commit?"]);
    expect([made, candidates]).toMatchObject([[], [{ doubt: "refusal", text: rule }]]);
  });

  it("lifts no rule, and says which one it may mean", () => {
    const [pin] = detectConstraints(
      AgentThread.empty(asThreadId("t"))
        .append([messageOf("u", "user", "Never touch package-lock.json.")])
        .messageAt(0) as Message,
    );
    const { lifted, candidates } = saidIn(refused(`${refusal}You may edit package-lock.json now.`), [pin as Pin]);
    expect(lifted).toEqual([]);
    expect(candidates).toMatchObject([{ kind: "retraction", pinIds: [pin?.id] }]);
  });

  it.each<[string, string, "success" | "failure"]>([
    ["that nobody gave", refusal, "failure"],
    ["of a file that shows one", `${refusal}${rule}`, "success"],
    ["of a call that failed by itself", `Error: exit 1\n${refusal}${rule}`, "failure"],
    ["of one that says something about rules alone", rule, "failure"],
  ])("is not read in a result %s", (_, body, outcome) => {
    expect(saidIn(refused(body, outcome))).toMatchObject({ made: [], lifted: [], candidates: [] });
  });

  it("spans the whole result where JSON escapes it", () => {
    const quoting = 'Never touch "yarn.lock" here.';
    const { message, candidates } = saidIn(refused(JSON.stringify({ status: "denied", feedback: quoting }), "success"));
    expect(candidates).toMatchObject([{ text: quoting, doubt: "refusal" }]);
    expect(candidates[0]?.source).toMatchObject({ start: 0, end: visibleText(message).length });
  });

  it("is never cut where the reason is longer than what is read of it", () => {
    const { candidates } = saidIn(refused(`${refusal}${rule} Always ${"ask me about it and ".repeat(200)}wait.`));
    expect(candidates.map(({ text }) => text)).toEqual([rule]);
  });
});
