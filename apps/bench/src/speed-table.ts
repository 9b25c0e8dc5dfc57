import type { Spread } from "./median.ts";
import type { SpeedResults } from "./speed-results.ts";
import { textTable } from "./text-table.ts";

/** The tables of the speed bench as rows; the first row of each is its header. */
export interface SpeedRows {
  readonly policies: readonly (readonly string[])[];
  readonly turns: readonly (readonly string[])[];
  readonly sessions: readonly (readonly string[])[];
  readonly tokenizers: readonly (readonly string[])[];
}

/** Returns the figures as rows of text. */
export function speedRows({ policies, turns, sessions, tokenizers }: SpeedResults): SpeedRows {
  const sizes = [...new Set(policies.flatMap(({ oneshot }) => oneshot.map(({ messages }) => rounded(messages))))];
  return {
    policies: [
      [
        "policy",
        ...sizes.map((size) => `${whole(size)}, ms`),
        "exponent",
        "2,000 steps, ms",
        "grew to",
        "ms per turn",
        "exponent",
      ],
      ...policies.map(({ policy, oneshot, oneshotExponent, firstStepsMs, growing, growingExponent }) => [
        policy,
        ...sizes.map((size) => spread(oneshot.find(({ messages }) => rounded(messages) === size)?.ms)),
        figure(oneshotExponent),
        figure(firstStepsMs),
        growing === null ? NOTHING : whole(growing.messages),
        growing === null ? NOTHING : figure(growing.totalMs / (growing.messages / 2)),
        figure(growingExponent),
      ]),
    ],
    turns: [
      ["messages in the thread", "ms per turn", "lowest", "highest"],
      ...turns.map(({ messages, msPerTurn, lowest, highest }) => [
        whole(messages),
        figure(msPerTurn),
        figure(lowest),
        figure(highest),
      ]),
    ],
    sessions: [
      ["store", "messages", "append of a step, ms", "render, ms", "fold and commit, ms", "resume, ms"],
      ...sessions.map(({ store, messages, append, render, commit, resume }) => [
        store,
        whole(messages),
        spread(append),
        spread(render),
        figure(commit),
        spread(resume ?? undefined),
      ]),
    ],
    tokenizers: [
      ["counter", "million characters per second", "characters per token"],
      ...tokenizers.map(({ tokenizer, characters, tokens, millionCharactersPerSecond }) => [
        tokenizer,
        spread(millionCharactersPerSecond),
        figure(characters / tokens),
      ]),
    ],
  };
}

/** Returns the figures as a table for people. */
export function speedTable(results: SpeedResults): string {
  const { policies, turns, sessions, tokenizers } = speedRows(results);
  const { turnExponent, seconds, limitSeconds } = results;
  const problems = results.policies.flatMap(({ policy, problem }) =>
    problem === undefined ? [] : [`${policy}: ${problem}`],
  );
  return [
    `One prompt from a history of the given size, and a thread grown for ${limitSeconds} s (median, lowest to highest):`,
    textTable(policies),
    ...(problems.length > 0 ? [problems.join("\n")] : []),
    ...(turns.length > 1
      ? [`A turn at the end of a long thread, growth exponent ${figure(turnExponent)}:`, textTable(turns)]
      : []),
    "A session in a store:",
    textTable(sessions),
    "Counters, on the text of a recorded session:",
    textTable(tokenizers),
    `${seconds.toFixed(0)} s.`,
  ].join("\n\n");
}

const NOTHING = "-";

/** Histories end with a whole step, so they may have one message more or less than asked for. */
const rounded = (messages: number): number => 10 ** Math.round(Math.log10(messages));

const whole = (value: number): string => value.toLocaleString("en-US");

function figure(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return NOTHING;
  if (value === 0) return "0";
  return value.toFixed(Math.max(0, 2 - Math.max(0, Math.floor(Math.log10(Math.abs(value))))));
}

function spread(found: Spread | undefined): string {
  if (found === undefined) return NOTHING;
  const { median, lowest, highest } = found;
  return lowest === highest ? figure(median) : `${figure(median)} (${figure(lowest)} to ${figure(highest)})`;
}
