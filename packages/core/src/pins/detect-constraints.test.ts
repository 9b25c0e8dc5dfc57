import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../json/json-value.ts";
import { agentThreads, hostileTexts, runs } from "../laws/index.ts";
import { call, message as messageOf, result } from "../laws/messages.ts";
import { growthOnQuadrupling } from "../laws/runs.ts";
import { asMessageId, asThreadId } from "../model/ids.ts";
import { type Message, type MessageInput, visibleText } from "../model/message.ts";
import type { ToolResultContent } from "../model/part.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import type { Steps } from "../time/steps.ts";
import { detectConstraints, ruleKey, rulesBehind, saidRules } from "./detect-constraints.ts";
import { quotesIn } from "./pasted-text.ts";
import { LONGEST_RULE, readRules, readRulesInSteps } from "./read-rules.ts";
import { statementsOf } from "./statements.ts";

const said = (text: string, more: Partial<MessageInput> = {}): Message =>
  AgentThread.empty(asThreadId("t"))
    .append([
      {
        id: asMessageId("m"),
        role: "user",
        parts: [{ type: "text", text }],
        createdAt: "2026-01-01T00:00:00.000Z",
        ...more,
      },
    ])
    .messageAt(0) as Message;
const textsIn = (text: string, more: Partial<MessageInput> = {}) =>
  detectConstraints(said(text, more)).map((pin) => pin.text);

describe("detectConstraints", () => {
  it.each([
    "Never delete production data.",
    "Always run the linter before you commit.",
    "Do not push without asking me first.",
    "Please don't touch the migrations folder.",
    "You must keep the public API stable.",
    "Only edit files under src if the tests cover them.",
    "Ask me before you install a dependency.",
  ])("finds: %s", (sentence) => {
    expect(textsIn(`Hello there. ${sentence} Thanks a lot.`)).toEqual([sentence]);
  });

  it.each(["Nein nichts installieren!", "Non ne touche pas au schéma."])("finds after a refusal: %s", (text) => {
    expect(textsIn(text)).toHaveLength(1);
  });

  it.each([
    "Le fichier peut ne pas être présent.",
    "Les fichiers peuvent ne pas être triés.",
    "Why does it never finish?",
    "I do not know what this does.",
    "It works now, thank you.",
    "```\nnever do this in code\n```",
  ])("finds no rule in: %s", (text) => {
    expect(textsIn(text)).toEqual([]);
  });

  it("finds rules in a list, without the list mark", () => {
    expect(textsIn("Rules:\n- Never commit to main\n2. Always write a test first")).toEqual([
      "Never commit to main",
      "Always write a test first",
    ]);
  });

  it("takes back the rule before it, where nothing but a blank stands between the two", () => {
    const rule = "Never delete production data.";
    expect(textsIn(`${rule} Forget that.`)).toEqual([]);
    expect(textsIn(`${rule}\r\nForget that.`)).toEqual([]);
    expect(textsIn(`${rule}   Forget that.`)).toEqual([rule]);
    expect(textsIn(`${rule} It is of use. Forget that.`)).toEqual([rule]);
    expect(textsIn(`Always ask first. ${rule} Forget that.`)).toEqual(["Always ask first."]);
  });

  it("places a rule behind all that a message shows before it", () => {
    const rule = "Never delete production data.";
    const message = said("", {
      parts: [
        { type: "text", text: "Hello." },
        { type: "reasoning", text: "hm" },
        { type: "text", text: `Hi. ${rule}` },
        { type: "text", text: "Always ask first." },
      ],
    });
    const shown = visibleText(message);
    const pins = detectConstraints(message);
    expect(pins.map(({ text }) => text)).toEqual([rule, "Always ask first."]);
    for (const { text, source } of pins) expect(shown.slice(source?.start, source?.end)).toBe(text);
  });

  it("reads documents in tags as instructions where the system says them, and in no other place", () => {
    const text = "<handbook>\nNever delete production data.\n</handbook>";
    expect([textsIn(text), textsIn(text, { role: "system" })]).toEqual([[], ["Never delete production data."]]);
  });

  it("gives tool output, summaries, harness text and side branches no say", () => {
    const rule = "Never delete production data.";
    expect(textsIn(rule, { origin: "compaction" })).toEqual([]);
    expect(textsIn(rule, { origin: "harness" })).toEqual([]);
    expect(textsIn(rule, { branch: "side" })).toEqual([]);
    expect(textsIn(rule, { role: "assistant" })).toEqual([]);
    expect(detectConstraints(said(rule, { role: "system" }))[0]?.authority).toBe("system");
  });

  describe("in the reply to a call that asks the user", () => {
    const QUESTION = "Is there anything I must not touch?";
    const rule = "Never touch the lockfile.";
    const asks = (toolName: string, input: JsonValue = { question: QUESTION }) =>
      messageOf("a", "assistant", call("c", toolName, input));
    const replies = (toolName: string, body: string | ToolResultContent, outcome: "success" | "failure" = "success") =>
      messageOf("r", "tool", result("c", body, { toolName, outcome }));
    const threadOf = (...messages: readonly MessageInput[]) => AgentThread.empty(asThreadId("t")).append(messages);
    const pinsIn = (...messages: readonly MessageInput[]) => rulesBehind(threadOf(...messages).messages);
    const rulesOf = (...messages: readonly MessageInput[]) => pinsIn(...messages).map(({ text }) => text);

    it.each<[string, string, JsonValue, string | ToolResultContent]>([
      ["plain", "ask_user", { question: QUESTION }, rule],
      ["after a label", "ask_user", { question: QUESTION }, `User response: ${rule}`],
      ["after the question", "ask_human", { question: QUESTION }, `Question: ${QUESTION}\nAnswer: ${rule}`],
      ["in a tag", "ask_followup_question", { question: QUESTION }, `<answer>\n${rule}\n</answer>`],
      [
        "listed by question",
        "AskUserQuestion",
        { questions: [{ question: QUESTION }, { question: "Which shell?" }] },
        `User has answered your questions: "${QUESTION}"="${rule}", "Which shell?"="zsh". You can now continue.`,
      ],
      [
        "in the notes to an answer",
        "AskUserQuestion",
        { questions: [{ question: QUESTION }] },
        `User has answered your questions: "${QUESTION}"="Yes" selected preview:\nAlways push. user notes: ${rule} You can now continue with the user's answers in mind.`,
      ],
      ["in a field", "mcp__desk__ask_user", { question: QUESTION }, { type: "json", value: { answer: rule } }],
      ["in written JSON", "ask_user", { question: QUESTION }, JSON.stringify({ answer: rule }, null, 2)],
      [
        "by question id",
        "request_user_input",
        { questions: [{ id: "q", question: QUESTION }] },
        { type: "json", value: { answers: { q: { answers: [rule] } } } },
      ],
    ])("is the user's, at its place: %s", (_, toolName, input, body) => {
      const thread = threadOf(asks(toolName, input), replies(toolName, body));
      const pins = rulesBehind(thread.messages);
      expect(pins).toMatchObject([{ text: rule, authority: "user", origin: "detector" }]);
      const { source } = pins[0] as (typeof pins)[number];
      expect(visibleText(thread.messageAt(1) as Message).slice(source?.start, source?.end)).toBe(rule);
    });

    it("spans the escaped form where JSON escapes it, whatever stands before", () => {
      const quoting = 'Never touch "yarn.lock" here.';
      const value = { answer: `Hm:\t"yes".\n${quoting} Always ask first.` };
      const thread = threadOf(asks("ask_user"), replies("ask_user", { type: "json", value }));
      const shown = visibleText(thread.messageAt(1) as Message);
      const pins = rulesBehind(thread.messages);
      expect(pins.map(({ text }) => text)).toEqual([quoting, "Always ask first."]);
      for (const { text, source } of pins)
        expect(JSON.parse(`"${shown.slice(source?.start, source?.end)}"`)).toBe(text);
    });

    it.each<[string, MessageInput, MessageInput]>([
      ["of another tool", asks("read_file", { path: "rules.md" }), replies("read_file", rule)],
      ["of a call that only sounds like it", asks("confirm_user_email", { email: "a" }), replies("ask_user", rule)],
      ["that failed", asks("ask_user"), replies("ask_user", rule, "failure")],
      ["that nobody gave", asks("ask_user"), replies("ask_user", `No response from the user. ${rule}`)],
      ["that repeats the question", asks("ask_user", { question: rule }), replies("ask_user", rule)],
      [
        "whose options the agent wrote",
        asks("ask_user"),
        replies("ask_user", { type: "json", value: { options: [rule], question: rule, answer: "Go on" } }),
      ],
      ["to a call on a side branch", { ...asks("ask_user"), branch: "b" }, replies("ask_user", rule)],
      ["on a side branch", asks("ask_user"), { ...replies("ask_user", rule), branch: "b" }],
    ])("is not read in a result %s", (_, asked, reply) => {
      expect(rulesOf(asked, reply)).toEqual([]);
    });

    it("is not read where a later call has the same id, and the call is unknown", () => {
      const later = messageOf("b", "assistant", call("c", "read_file"));
      expect(rulesOf(asks("ask_user"), later, replies("ask_user", rule))).toEqual([]);
      expect(rulesOf(replies("ask_user", rule))).toEqual([]);
    });

    it("is never lifted by a reply, which only may take it back", () => {
      const before = messageOf("u", "user", rule);
      const back = replies("ask_user", "You may now touch the lockfile.");
      expect(rulesOf(before, asks("ask_user"), back)).toEqual([rule]);
      const [live] = pinsIn(before);
      const said = saidRules(threadOf(back).messageAt(0) as Message, () => [live as never], [QUESTION]);
      expect(said).toMatchObject({ lifted: [], candidates: [{ kind: "retraction", pinIds: [live?.id] }] });
      expect(rulesOf(asks("ask_user"), replies("ask_user", `${rule} Forget that.`))).toEqual([]);
    });

    it("stands at the place that it names, in any reply", () => {
      fc.assert(
        fc.property(hostileTexts, hostileTexts, fc.boolean(), (before, after, isJson) => {
          const text = `${before.toWellFormed()}\n${rule}\n${after.toWellFormed()}`;
          const body: string | ToolResultContent = isJson ? { type: "json", value: { a: "1", answer: text } } : text;
          const thread = threadOf(asks("ask_user"), replies("ask_user", body));
          const shown = visibleText(thread.messageAt(1) as Message);
          for (const pin of rulesBehind(thread.messages)) {
            const quoted = shown.slice(pin.source?.start, pin.source?.end);
            expect(isJson ? JSON.parse(`"${quoted}"`) : quoted).toBe(pin.text);
          }
        }),
        { numRuns: 200 },
      );
    });

    it("is found in time that grows with the reply, however hostile", async () => {
      for (const piece of ['Never touch "a".\n', "\nanswer:", '"a"="', "<answer>", " \t", '{"answer":['])
        for (const json of [false, true]) {
          const replied = (size: number): Message => {
            const text = piece.repeat(size / piece.length);
            const body: string | ToolResultContent = json ? { type: "json", value: { answer: text } } : text;
            return threadOf(replies("ask_user", body)).messageAt(0) as Message;
          };
          expect(await growthOnQuadrupling(replied, (reply) => saidRules(reply, () => [], ["a"]), 10_000)).toBeLessThan(
            10,
          );
        }
    });
  });

  it("stands whole in its message, at the place that it names, in any text", () => {
    fc.assert(
      fc.property(hostileTexts, hostileTexts, (before, after) => {
        const message = said(`${before.toWellFormed()}\nNever drop the users table.\n${after.toWellFormed()}`);
        for (const pin of detectConstraints(message)) {
          expect(visibleText(message).slice(pin.source?.start, pin.source?.end)).toBe(pin.text);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("comes from users and systems alone, in any thread", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true }), (thread) => {
        for (const message of thread.messages) {
          const speaks =
            (message.role === "user" || message.role === "system") &&
            message.origin === undefined &&
            message.branch === undefined;
          const said = saidRules({ ...message, parts: [...message.parts, { type: "text", text: RULE }] }, () => []);
          if (!speaks) expect(said).toEqual({ made: [], lifted: [], candidates: [] });
        }
      }),
      runs(60),
    );
  });
});

const RULE = "Never delete production data.";
const SPOKEN = ["Never touch package-lock.json.", "Do not use tabs.", "Leave the parser alone."];
const after = (text: string, rules: readonly string[] = SPOKEN) => {
  const live = rules.flatMap((rule, index) => detectConstraints(said(rule, { id: asMessageId(`r${index}`) })));
  expect(live.map(({ text: found }) => found)).toEqual(rules);
  const { made, lifted, candidates } = saidRules(said(text), () => live);
  return {
    made: made.map(({ text: found }) => found),
    lifted: lifted.map(({ pin }) => pin.text),
    unsure: candidates.flatMap((candidate) => (candidate.kind === "retraction" ? [candidate.pinIds.length] : [])),
  };
};

describe("a retraction", () => {
  it.each([
    ["OK, you may now edit package-lock.json, I changed my mind. Forget that rule.", "Never touch package-lock.json."],
    ["Forget the rule about tabs.", "Do not use tabs."],
    ["Ignore what I said about the parser.", "Leave the parser alone."],
    ["It's fine to change package-lock.json now.", "Never touch package-lock.json."],
    ["Never mind the tabs rule.", "Do not use tabs."],
  ])("lifts the one rule that it is about: %s", (text, rule) => {
    expect(after(text)).toEqual({ made: [], lifted: [rule], unsure: [] });
  });

  it.each([
    ["Du darfst package.json jetzt ändern.", "Ändere niemals package.json."],
    ["Oublie la règle sur les migrations.", "Ne touche jamais aux migrations."],
    ["Ahora puedes editar package.json.", "No modifiques package.json."],
    ["Agora você pode editar o package.json.", "Não altere o package.json."],
    ["Теперь можно менять package.json.", "Не трогай package.json."],
    ["现在可以修改 package.json 了。", "不要修改 package.json。"],
    ["もうpackage.jsonを変更してもいいです。", "package.jsonは変更しないでください。"],
  ])("does so in other languages: %s", (text, rule) => {
    expect(after(text, [rule, "Do not deploy."]).lifted).toEqual([rule]);
  });

  it.each([
    "Do not use tabs. I changed my mind about the port, use 8080. Go on.",
    "Do not use tabs. If the build fails, then so be it. Forget it otherwise.",
    "You can use tabs in Makefiles now.",
  ])("takes no rule along that it is not about: %s", (text) => {
    const rules = text.startsWith("You") ? ["Do not use tabs."] : [];
    const { made, lifted } = after(text, rules);
    expect([...rules, ...made]).toEqual(["Do not use tabs."]);
    expect(lifted).toEqual([]);
  });

  it.each([
    "Forget that rule.",
    "Actually, forget that rule.",
    "Actually, please just forget that rule.",
    "Right, and forget that rule.",
  ])("takes back one rule, whatever it begins with: %s", (words) => {
    const rules = ["Never touch package-lock.json."];
    expect(after(`Never push tags. ${words}`, rules)).toEqual({ made: [], lifted: [], unsure: [] });
  });

  it("of the only rule there is needs to name nothing", () => {
    expect(after("Forget that rule.", ["Do not use tabs."]).lifted).toEqual(["Do not use tabs."]);
  });

  it.each([
    ["Forget that rule.", "one of several"],
    ["You may now edit the lock files and package-lock.json and yarn.lock.", "more than the rule forbids"],
    ["Ignore what I said about the server.", "a rule that nobody made"],
  ])("lifts nothing when it is not certain, and is told: %s (%s)", (text) => {
    const { lifted, unsure } = after(text);
    expect(lifted).toEqual([]);
    expect(unsure).toHaveLength(1);
  });

  it("does not mistake an approval that the rule foresees for the end of the rule", () => {
    expect(after("You can push now.", ["Do not push without asking me first."])).toEqual({
      made: [],
      lifted: [],
      unsure: [1],
    });
  });

  it.each(["You can now see the result in the browser.", "Never mind, it works.", "Forget it, I will do it myself."])(
    "is not heard in: %s",
    (text) => {
      expect(after(text)).toEqual({ made: [], lifted: [], unsure: [] });
    },
  );

  it("of a rule in the same message leaves no rule", () => {
    const text = "Never touch the parser. Hm, forget that rule, you will need it.";
    expect(textsIn(text)).toEqual([]);
    expect(after(text, []).lifted).toEqual([]);
  });

  it("lifts nothing that a higher authority said", () => {
    const live = detectConstraints(said("Never touch package-lock.json.", { role: "system" }));
    const { lifted, candidates } = saidRules(said("You may now edit package-lock.json."), () => live);
    expect(lifted).toEqual([]);
    expect(candidates).toMatchObject([{ kind: "retraction", pinIds: [live[0]?.id] }]);
  });
});

describe("what is taken for a rule", () => {
  /** Of each statement that says something the verdict, and what it is about where that is not all of the text. */
  const verdicts = (text: string, trusted = false): readonly string[] =>
    readRules(text, trusted).map((reading) => {
      const verdict = reading.kind === "candidate" ? reading.doubt : reading.kind;
      return reading.text === text ? verdict : `${verdict}: ${reading.text}`;
    });

  it.each([
    ["Please, never push", ["rule"]],
    ["So then please also never push", ["rule"]],
    ["never mind, never push", ["rule"]],
    ["When in doubt, look it up", ["rule"]],
    ["Great, no new files!", ["rule"]],
    ["Do not push.\nUnless I say so.", ["rule"]],
    ["Can you never push?", ["rule"]],
    ['Can you never push?"', ["rule"]],
    ["I think when in doubt, look it up", []],
    ["It is green from now on", []],
    ["We talked, no new files!", []],
    ["Never push (really?) to main.", []],
    ["Never push?", []],
    ["Can you push?", []],
    ["Only works on Linux.", []],
    ["Never again", []],
    ["No.", []],
    ["Nie", []],
    ["leave it, please", ["weak"]],
    ["Leave the file as it is until tomorrow", ["one-off"]],
    ["no new deps today", ["one-off"]],
    ["Do not proceed to the next phase until I review the code.", ["rule"]],
    ["Do not proceed to the next phase until I've reviewed this one and say so", ["rule"]],
    ["Never start a phase until I have had a chance to look at the last", ["rule"]],
    ["Don't merge until you have my approval", ["rule"]],
    ["Do not push until I'm back", ["one-off"]],
    ["Do not push until I have lunch", ["one-off"]],
    ["Don't run the tests until I finish the migration", ["one-off"]],
    ["Do not push until the tests pass", ["one-off"]],
    ["Rules:\n- tabs\n- it is new", ["rule: tabs"]],
    ["Rules:\n- I wonder why\n- Never mind\n- You must rename it", ["rule: You must rename it"]],
    ["Nie pushen! Never.", ["rule: Nie pushen!", "unclear: Never."]],
    ["Don't know. Never push", ["rule: Never push"]],
  ])("%j", (text, found) => expect(verdicts(text)).toEqual(found));

  it("is as long as a rule may be, and nothing else of a text with a torn character", () => {
    const rule = (length: number) => `Never ${"x".repeat(length - 7)}.`;
    expect([verdicts(rule(LONGEST_RULE)), verdicts(rule(LONGEST_RULE + 1))]).toEqual([["rule"], ["too-long"]]);
    expect([verdicts("Never push \ud800."), verdicts("Don't push today \ud800.")]).toEqual([[], []]);
  });

  it("has a verb, or 120 code units at the most", () => {
    const without = (length: number) => verdicts(`No ${"a".repeat(length - 3)}`);
    expect([without(120), without(121)]).toEqual([["rule"], []]);
  });

  it("stands in one of the first sixty clauses", () => {
    const behind = (clauses: number) => verdicts(`${"the, ".repeat(clauses)}never push`);
    expect([behind(59), behind(60)]).toEqual([["rule"], []]);
  });

  it.each([
    ["Subject: x\n\nNever push.", ["rule: Never push."]],
    ["From: Ann\nSubject: x\n\nNever push.", ["unclear: Never push."]],
    ["From: Ann\nHello there.\nSubject: x\nNever push.", ["rule: Never push."]],
    ["Proofread this:\n\nAlways wear a badge. Please never push.", []],
    [
      "Proofread this:\n\nLook.\n\nNever push. Please never pull.",
      ["unclear: Never push.", "unclear: Please never pull."],
    ],
    ["Proofread this:\n\nLook.\n\nPlease never pull.", ["rule: Please never pull."]],
    ["Proofread this:\n\nLook.\n\nInstructions:\n\nNever push.", ["unclear: Never push."]],
    ["Here is the mail:\n\nLook.\n\nInstructions:\n\nNever push.", ["rule: Never push."]],
    [
      "Proofread this:\n\nLook.\n\nNever do this:\n- push\n- never deploy",
      ["unclear: Never do this:\n- push\n- never deploy"],
    ],
    ["Bob wrote:\n\nNever push.", ["rule: Never push."]],
    ["Bob wrote:\nnever push", ["unclear: never push"]],
    ["Could you please translate this: Never push.", []],
    ['Translate this: "Never push." Never pull.', ["rule: Never pull."]],
    ['Translate this: She said "no". Never pull.\n\nNever push.', ["rule: Never push."]],
  ])("is the writer's own, or in doubt where it may be another's: %j", (text, found) => {
    expect(verdicts(text)).toEqual(found);
  });

  it("is another's nowhere in what the system says", () => {
    for (const lead of ["Proofread this:", "Bob wrote:", "From: Ann\nSubject: x", "Here is the mail:"])
      expect(verdicts(`${lead}\n\nLook.\n\nNever push.`, true)).toEqual(["rule: Never push."]);
  });

  it("is no longer in doubt where it is too long to be kept", () => {
    const long = (length: number) => `Proofread this:\n\nLook.\n\nNever ${"x".repeat(length - 7)}.`;
    expect(verdicts(long(LONGEST_RULE))).toHaveLength(1);
    expect(verdicts(long(LONGEST_RULE + 1))).toEqual([]);
  });

  it("is looked for in steps of eight statements", () => {
    const stepsOf = (work: Steps<unknown>): number => {
      let steps = 0;
      while (work.next().done !== true) steps++;
      return steps;
    };
    const text = "Never push.\n".repeat(800);
    const others = stepsOf(statementsOf(text)) + stepsOf(quotesIn(text));
    expect(stepsOf(readRulesInSteps(text)) - others).toBe(100);
  });
});

describe("the rules behind a run of messages", () => {
  const rule = "Never touch package-lock.json.";
  const behind = (...texts: readonly string[]) => rulesBehind(texts.map((text) => said(text))).map(({ text }) => text);

  it("are those that were said and not taken back, each once", () => {
    expect(behind(rule, "Always ask first.")).toEqual([rule, "Always ask first."]);
    expect(behind(rule, "NEVER touch package-lock.json!")).toEqual([rule]);
    expect(behind(rule, "You may now touch package-lock.json.")).toEqual([]);
    expect(behind(rule, "You may now touch package-lock.json.", rule)).toEqual([rule]);
    const before = detectConstraints(said(rule));
    expect(rulesBehind([], before)).toEqual(before);
    expect(rulesBehind([said("Forget that rule.")], before)).toEqual([]);
  });

  it("say the same where only case, spaces and signs at the end differ", () => {
    const key = (text: string) => ruleKey({ text });
    expect(key("Never  push, please!")).toBe(key("never push please."));
    expect(key("never push x.ts")).not.toBe(key("never push x ts"));
    expect(key("never push a-b")).not.toBe(key("never push ab"));
    expect(key("Never push")).toBe("never push");
  });
});

describe("agents that write calls as text", () => {
  it("finds no rule in results, whatever they hold, or in what the harness adds", () => {
    const rule = "Never push to main without asking me.";
    for (const text of [
      `[read_file for 'NOTES.md'] Result:\n${rule}`,
      `[execute_command for 'cat NOTES.md'] Result:\nCommand executed.\nOutput:\n${rule}\n`,
      `[read_file for 'a'] Result:\n<feedback>\n${rule}\n</feedback>`,
      `<environment_details>\n${rule}`,
      `EXECUTION RESULT of [execute_bash]:\n${rule}`,
      `OBSERVATION:\n${rule}`,
      `I ran this command:\n\ncat NOTES.md\n\nAnd got this output:\n\n${rule}\n`,
    ])
      expect(textsIn(text), text).toEqual([]);
    const parts = ["[read_file for 'NOTES.md'] Result:", rule].map((text) => ({ type: "text" as const, text }));
    expect(textsIn("", { parts })).toEqual([]);
  });

  it("finds the user's rules in the tags of the harness, at their place", () => {
    const rule = "Never push to main without asking me.";
    const more = "\n<environment_details>\nAlways be in code mode.\n</environment_details>";
    for (const text of [
      `<task>\nFix the parser.\n${rule}\n</task>${more}`,
      `<feedback>\n${rule}\n</feedback>${more}`,
      `[attempt_completion] Result:\n<feedback>\n${rule}\n</feedback>${more}`,
      `[ask_followup_question for 'May I push?'] Result:\n<answer>\n${rule}\n</answer>${more}`,
    ]) {
      const [pin, ...others] = detectConstraints(said(text));
      expect([pin?.text, others], text).toEqual([rule, []]);
      expect(text.slice(pin?.source?.start, pin?.source?.end)).toBe(rule);
    }
  });
});
