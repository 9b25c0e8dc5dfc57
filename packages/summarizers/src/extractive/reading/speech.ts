import type { MessageId } from "@threadfold/core";
import { type Sentence, sentencesOf } from "../text/sentence.ts";

/** The position of a piece of a span. */
export interface Place {
  readonly messageId: MessageId;
  /** Index of the message in the span, from 0. */
  readonly position: number;
  readonly turn: number;
}

/** How much of an agent's message is read, in UTF-16 code units: what matters is at its beginning and end. */
const AGENT_HEAD = 1_600;
const AGENT_TAIL = 900;
/** The label that some harnesses have their agent write before its thoughts. */
const LABEL = /^\s*(?:THOUGHTS?|Thoughts?|DISCUSSION|REASONING)\s*:\s+/;

/** What somebody said in one message. Its sentences are read once, on demand. */
export class Speech {
  readonly text: string;
  readonly place: Place;
  readonly speaker: "user" | "system" | "agent";
  /** True when the agent's message has no call, so that its turn may end there. */
  readonly closing: boolean;
  #sentences: readonly Sentence[] | undefined;

  constructor(text: string, place: Place, speaker: Speech["speaker"], closing = false) {
    this.text = text;
    this.place = place;
    this.speaker = speaker;
    this.closing = closing;
  }

  get sentences(): readonly Sentence[] {
    this.#sentences ??=
      this.speaker === "agent"
        ? sentencesOf(this.text.replace(LABEL, ""), AGENT_HEAD, AGENT_TAIL)
        : sentencesOf(this.text);
    return this.#sentences;
  }
}

/** Tags of blocks that harnesses insert into what a user typed. */
const HARNESS_BLOCKS = [
  "system-reminder",
  "local-command-stdout",
  "command-message",
  "command-args",
  "environment_context",
  "user_instructions",
];
const HARNESS_TEXT =
  /^\s*(?:<(?:command-name|local-command-|bash-|task-notification|environment_context|user_instructions)|Caveat: The messages below|\[Request interrupted|# AGENTS\.md instructions)/;

/** Returns what a person typed in a user message; empty when a program wrote all of it. */
export function typedText(text: string): string {
  const typed = text.includes("<") ? HARNESS_BLOCKS.reduce(withoutBlocks, text) : text;
  return HARNESS_TEXT.test(typed) ? "" : typed.trim();
}

function withoutBlocks(text: string, tag: string): string {
  let rest = "";
  let from = 0;
  for (let open = text.indexOf(`<${tag}>`); open >= 0; open = text.indexOf(`<${tag}>`, from)) {
    const close = text.indexOf(`</${tag}>`, open);
    if (close < 0) break;
    rest += text.slice(from, open);
    from = close + tag.length + 3;
  }
  return from === 0 ? text : rest + text.slice(from);
}
