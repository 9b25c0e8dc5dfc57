import { resolve } from "node:path";
import { asMessageId, asThreadId, type ChatMessage, type CompletionModel, type MessageInput } from "@threadfold/core";
import { createMemoryStore } from "@threadfold/stores";
import {
  type CompactionPreset,
  claudeCodePreset,
  codexPreset,
  goatPreset,
  opencodePreset,
  piPreset,
  presetByName,
  recursiveSummarization,
  shownTurnCountTrigger,
  slidingWindow,
  tokenCountWindow,
  turnWindow,
} from "@threadfold/strategies";
import { type ScriptTokens, scriptMessages } from "@threadfold/strategies/laws";
import type { CompactOptions } from "@threadfold/turn";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { handClock, tokenizer } from "../testing/agent-work.ts";

// Writes and checks docs/spec/presets: `npx vitest run src/requirements/preset-pages.test.ts --update` writes what a run gives.

const FOLDER = resolve(import.meta.dirname, "../../../../docs/spec/presets");

/** One compaction of an example: what is appended before it, and how it is asked for. */
interface Round {
  /** Messages by name: s system, u user, a assistant, t tool, and the turn. */
  readonly script: string;
  /** What the document says is in the prompt then. */
  readonly document: string;
  readonly options?: CompactOptions;
  /** True where the preset's own trigger has to fire. */
  readonly byItself?: true;
}

interface Example {
  readonly title: string;
  readonly tokens: ScriptTokens;
  readonly rounds: readonly Round[];
}

/** An example that is not about compaction: its lines, made by a run. */
interface OtherExample {
  readonly title: string;
  readonly lines: () => Promise<readonly string[]>;
}

interface Page {
  readonly preset: CompactionPreset;
  readonly system: string;
  readonly examples: readonly (Example | OtherExample)[];
  /** 200 000 tokens where it is left out. */
  readonly window?: number;
}

/** A model that says how many calls it got: what a summary says is not what these pages are about. */
function countingModel(): CompletionModel {
  let calls = 0;
  return {
    id: "counting",
    complete: async () => ({ text: `Summary ${++calls}, written by the model.`, finish: "stop", toolCalls: 0 }),
  };
}

function nameOf({ role, synthetic, parts }: ChatMessage, written: ReadonlyMap<string, string>): string {
  const text = JSON.stringify(parts);
  if (synthetic === "summary") {
    const number = /Summary (\d+), written/.exec(text)?.[1];
    return number === undefined
      ? `[${role}: ${written.get(text) ?? text.slice(9, 60)}]`
      : `[${role}: summary ${number}]`;
  }
  return /"(?:text|value)":"([suat]\d+(?:\.\d+)?)/.exec(text)?.[1] ?? `[${role}: ${synthetic ?? "content"}]`;
}

async function shownBy(session: ContextSession): Promise<string> {
  const { request } = await session.render();
  const shown = request.messages.filter(({ synthetic }) => synthetic !== "continuation");
  return shown
    .map((message) => {
      const [part] = message.parts;
      if (message.synthetic === "summary" && part?.type === "text" && !part.text.includes("written by the model"))
        return `[${message.role}: ${part.text.split("\n")[0]}]`;
      return nameOf(message, new Map());
    })
    .join(", ");
}

const WINDOW = 200_000;

async function exampleText({ preset, window = WINDOW }: Page, example: Example | OtherExample): Promise<string> {
  if ("lines" in example) return [`## ${example.title}`, "", ...(await example.lines())].join("\n");
  const { title, tokens, rounds } = example;
  const session = await ContextSession.open({
    tokenizer,
    threadId: asThreadId("page"),
    clock: handClock(),
    preset,
    summaryModel: countingModel(),
    background: false,
    config: { maxInputTokens: window, detectPins: false },
  });
  const lines = [`## ${title}`];
  const labels: string[] = [];
  let known = 0;
  for (const { script, document, options, byItself } of rounds) {
    labels.push(...script.split(" "));
    const messages: readonly MessageInput[] = scriptMessages(labels.join(" "), tokens);
    await session.append(messages.slice(known));
    known = messages.length;
    const before = session.stats().tokens;
    const outcome = await session.compact(byItself === true ? {} : (options ?? { force: true }));
    lines.push(
      `Appended: ${script.split(" ").join(", ")}`,
      `- The document: ${document}`,
      `- A run: ${await shownBy(session)}`,
      `- ${outcome.type}, ${before} → ${session.stats().tokens} tokens, plan ${session.plan.version}`,
    );
  }
  return lines.join("\n\n").replaceAll("\n\n- ", "\n- ");
}

async function pageText(page: Page): Promise<string> {
  const { preset, system, examples, window = WINDOW } = page;
  const texts: string[] = [];
  for (const example of examples) texts.push(await exampleText(page, example));
  const figures = Object.entries(preset.figures).map(([name, figure]) => `\`${name}\` ${figure}`);
  return `${[
    `# \`${preset.name}\``,
    `Written by \`npx vitest run src/requirements/preset-pages.test.ts --update\` in \`packages/session\`; do not edit. Messages are named as in the document: u user, a assistant, t tool result, and the number of the turn. What stands in brackets was made by rendering. The window has ${spaced(window)} tokens.`,
    `${system}: ${preset.description}${figures.length === 0 ? "" : ` Figures: ${figures.join(", ")}.`} Where it differs: [differences.md](../differences.md).`,
    ...texts,
  ].join("\n\n")}\n`;
}

const spaced = (tokens: number): string => String(tokens).replace(/\B(?=(\d{3})+$)/g, " ");

const turns = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `u${from + index} a${from + index}`).join(" ");

const steps = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `a${from + index} t${from + index}`).join(" ");

const AMP = "u1 a1 t1 a1 u2 a2";

async function ampSession(): Promise<ContextSession> {
  const session = await ContextSession.open({
    tokenizer,
    threadId: asThreadId("page"),
    clock: handClock(),
    preset: presetByName("amp-handoff"),
    summaryModel: countingModel(),
    background: false,
    store: createMemoryStore(),
    config: { maxInputTokens: WINDOW, detectPins: false },
  });
  await session.append(scriptMessages(AMP, 500));
  return session;
}

const idsOf = (session: ContextSession): string => [...session.thread.messages].map(({ id }) => id).join(", ");

async function handedOff(): Promise<readonly string[]> {
  const session = await ampSession();
  const next = asThreadId("next");
  const { briefing } = await session.handoff({ goal: "Write the changelog.", threadId: next });
  const other = await session.openOther(next);
  const text = [...other.thread.messages].map(({ parts }) => JSON.stringify(parts)).join("\n");
  const [, search] = other.tools();
  const found = (await search.execute({ message_id: "a1" })).text.split("\n")[0];
  return [
    `Appended: ${AMP.split(" ").join(", ")}; handed off with the goal "Write the changelog."`,
    "- The document: a secondary model extracts what is relevant into a new message for a fresh thread",
    `- A run: ${other.thread.length} messages, with the words of the model (${briefing.includes("written by the model")}) and the goal (${text.includes("Write the changelog.")})`,
    "- The document: a thread refers to another one, and reads from it on demand",
    `- A run: search_thread of the fresh thread, for a1: "${found}"`,
  ];
}

async function forked(): Promise<readonly string[]> {
  const session = await ampSession();
  await session.fork({ threadId: asThreadId("fork"), atMessage: asMessageId("a1.2") });
  const edited = { ...scriptMessages("u9", 500)[0], id: asMessageId("u2-edited") } as MessageInput;
  await session.fork({ threadId: asThreadId("edit"), beforeMessage: asMessageId("u2"), append: [edited] });
  return [
    `Appended: ${AMP.split(" ").join(", ")}`,
    "- The document: the context is duplicated at a point",
    `- A run, at a1.2: ${idsOf(await session.openOther(asThreadId("fork")))}`,
    "- The document: a message is edited, and what came behind it goes",
    `- A run, u2 edited: ${idsOf(await session.openOther(asThreadId("edit")))}; the source has ${idsOf(session)}`,
  ];
}

const PAGES: readonly Page[] = [
  {
    preset: goatPreset,
    system: "Goat",
    examples: [
      {
        title: "Split point: 14 messages, above 80 %",
        tokens: 10_600,
        rounds: [
          {
            script: "u1 a1 t1 u2 a2 t2 u3 a3 t3 u4 a4 t4 u5 a5",
            document: "user [COMPACT SUMMARY], assistant Understood., u4, a4, t4, u5, a5",
            byItself: true,
          },
        ],
      },
      {
        title: "No call apart from its result",
        tokens: 17_000,
        rounds: [
          { script: "u1 a1 t1 u2 a2 u3 a3 t3 a3", document: "a cut before a result moves behind it", byItself: true },
        ],
      },
    ],
  },
  {
    preset: claudeCodePreset,
    system: "Claude Code",
    examples: [
      {
        title: "The session starts over with the summary",
        tokens: 12_000,
        rounds: [
          { script: `${turns(1, 8)} u9`, document: "the summary, and the conversation goes on", byItself: true },
          { script: "a9 u10 a10 u11", document: "once more, on top of the first", options: { force: true } },
        ],
      },
    ],
  },
  {
    preset: codexPreset,
    system: "Codex",
    examples: [
      {
        title: "New history: initial context, recent user messages up to 20 000 tokens, summary",
        tokens: (id) => (id.startsWith("u") ? 6_000 : 40_000),
        rounds: [
          {
            script: "u1 a1 u2 a2 u3 a3 u4 a4 u5",
            document: "u messages of the last 20 000 tokens, one summary",
            byItself: true,
          },
          { script: "a5 u6 a6 u7 a7 u8 a8 u9", document: "the same again: the history does not grow", byItself: true },
        ],
      },
    ],
  },
  {
    preset: opencodePreset,
    system: "OpenCode",
    examples: [
      {
        title: "Pruning: beyond the newest 40 000 tokens of tool output, if more than 20 000 can go",
        tokens: (id) => (id.startsWith("t") ? 15_000 : 100),
        rounds: [
          {
            script: "u1 a1 t1 a1 t1 a1 t1 a1 t1 a1 t1 a1 u2",
            document: "the newest 40 000 tokens of output stay",
            byItself: true,
          },
        ],
      },
      {
        title: "Compaction: an assistant message with the summary",
        tokens: 50_000,
        rounds: [{ script: "u1 a1 u2 a2 u3", document: "the summary of the whole history", byItself: true }],
      },
    ],
  },
  {
    preset: piPreset,
    system: "pi",
    examples: [
      {
        title: "Single and multiple compactions",
        tokens: (id) => (id[1] === "7" ? 5_000 : Number(id[1]) > 4 ? 28_000 : id[1] === "4" ? 4_500 : 13_000),
        rounds: [
          { script: "u1 a1 t1 t1 a1 u2 a2 u3 a3 t3 a3 t3 a3 u4 a4 t4 a4", document: "[summary], u4, a4, t4, a4" },
          { script: "u5 a5 u6 a6 t6 a6 u7 a7", document: "[summary 2], u7, a7", byItself: true },
        ],
      },
    ],
  },
  {
    preset: presetByName("spring-session"),
    system: "Spring AI Session",
    examples: [
      {
        title: "Entry point: above 20 turns keep the last 10 events",
        tokens: 50,
        rounds: [
          {
            script: turns(1, 21),
            document: "10 events, 32 removed",
            options: { trigger: shownTurnCountTrigger(20), strategy: slidingWindow({ maxEvents: 10 }) },
          },
        ],
      },
      {
        title: "Turn-boundary safety",
        tokens: 50,
        rounds: [
          {
            script: "u1 a1 u2 a2 a3 u3 a3",
            document: "the cut on a3, in the middle of turn 2, moves to u3: u3, a3",
            options: {
              trigger: { name: "always", evaluate: () => ({ level: "soft", reason: "always" }) },
              strategy: slidingWindow({ maxEvents: 3 }),
            },
          },
        ],
      },
      {
        title: "Recursive summary: a synthetic turn, and the active window",
        tokens: 300,
        rounds: [
          { script: turns(1, 10), document: "user shadow, assistant summary, u6 … a10", byItself: true },
          {
            script: turns(11, 14),
            document: "one rolling summary on top of the first",
            options: { force: true, strategy: recursiveSummarization({ maxEventsToKeep: 4, overlapSize: 2 }) },
          },
        ],
      },
    ],
  },
  {
    preset: presetByName("spring-session-sliding"),
    system: "Spring AI Session",
    examples: [
      {
        title: "Sliding window: the last 20 events, cut at a user message",
        tokens: 50,
        rounds: [
          { script: turns(1, 21), document: "[synthetics] and the last 20 events", byItself: true },
          {
            script: "u22 a22 t22 t22 a22",
            document: "the cut on a14, in the middle of turn 14, moves to u15",
            options: { force: true },
          },
        ],
      },
    ],
  },
  {
    preset: presetByName("spring-session-turns"),
    system: "Spring AI Session",
    examples: [
      {
        title: "Turn window: what comes before the first turn, and the last turns",
        tokens: 50,
        rounds: [
          { script: `a0 ${turns(1, 21)}`, document: "[preamble] and the last 10 turns", byItself: true },
          {
            script: "u22 a22 t22 a22",
            document: "never a part of a turn: the last 3 turns",
            options: { force: true, strategy: turnWindow({ maxTurns: 3 }) },
          },
        ],
      },
    ],
  },
  {
    preset: presetByName("spring-session-tokens"),
    system: "Spring AI Session",
    examples: [
      {
        title: "Token window: an unbroken end of at most 4 000 tokens, from a user message on",
        tokens: 500,
        rounds: [
          {
            script: turns(1, 5),
            document: "the newest events up to 4 000 tokens, from a user message on",
            byItself: true,
          },
          {
            script: "u6 a6 u7 a7",
            document: "it stops at the first event that does not fit, and leaves no gap",
            options: { force: true, strategy: tokenCountWindow({ maxTokens: 1_800 }) },
          },
        ],
      },
    ],
  },
  {
    preset: presetByName("ai-sdk"),
    system: "The compaction layer for the AI SDK",
    window: 128_000,
    examples: [
      {
        title: "Before and after: 50 messages, the last 10 stay",
        tokens: 1_900,
        rounds: [
          {
            script: `s0 u1 ${steps(1, 22)} a23 u2 a24 t24`,
            document: "[0] system, [1] summary of round 1, [40] to [49]",
            byItself: true,
          },
          {
            script: steps(25, 46),
            document: "round 2 takes in the summary of round 1; the last 10 stay",
            byItself: true,
          },
        ],
      },
    ],
  },
  {
    preset: presetByName("amp-handoff"),
    system: "Amp",
    examples: [
      { title: "Handoff: a goal, and a fresh thread with what matters to it", lines: handedOff },
      { title: "Fork, edit and restore", lines: forked },
    ],
  },
];

describe("the page of a preset", () => {
  it.each(PAGES.map((page) => [page.preset.name, page] as const))("%s matches what a run gives", async (name, page) => {
    await expect(await pageText(page)).toMatchFileSnapshot(resolve(FOLDER, `${name}.md`));
  });
});
