import { resolve } from "node:path";
import { asThreadId, type ChatMessage, type CompletionModel, type MessageInput } from "@threadfold/core";
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
} from "@threadfold/strategies";
import { type ScriptTokens, scriptMessages } from "@threadfold/strategies/laws";
import type { CompactOptions } from "@threadfold/turn";
import { describe, expect, it } from "vitest";
import { ContextSession } from "./loop/context-session.ts";
import { handClock } from "./testing/agent-work.ts";

// Writes and checks docs/spec/presets: `npx vitest run src/preset-pages.test.ts --update` writes what a run gives.

const FOLDER = resolve(import.meta.dirname, "../../../docs/spec/presets");

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

interface Page {
  readonly preset: CompactionPreset;
  readonly system: string;
  readonly examples: readonly Example[];
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

async function exampleText(preset: CompactionPreset, { title, tokens, rounds }: Example): Promise<string> {
  const session = await ContextSession.open({
    threadId: asThreadId("page"),
    clock: handClock(),
    preset,
    summaryModel: countingModel(),
    config: { maxInputTokens: 200_000, detectPins: false },
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

async function pageText({ preset, system, examples }: Page): Promise<string> {
  const texts: string[] = [];
  for (const example of examples) texts.push(await exampleText(preset, example));
  const figures = Object.entries(preset.figures).map(([name, figure]) => `\`${name}\` ${figure}`);
  return `${[
    `# \`${preset.name}\``,
    "Written by `npx vitest run src/preset-pages.test.ts --update` in `packages/session`; do not edit. Messages are named as in the document: u user, a assistant, t tool result, and the number of the turn. What stands in brackets was made by rendering. The window has 200 000 tokens.",
    `${system}: ${preset.description}${figures.length === 0 ? "" : ` Figures: ${figures.join(", ")}.`} Where it differs: [differences.md](../differences.md).`,
    ...texts,
  ].join("\n\n")}\n`;
}

const turns = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `u${from + index} a${from + index}`).join(" ");

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
];

describe("the page of a preset", () => {
  it.each(PAGES.map((page) => [page.preset.name, page] as const))("%s is what a run gives", async (name, page) => {
    await expect(await pageText(page)).toMatchFileSnapshot(resolve(FOLDER, `${name}.md`));
  });
});
