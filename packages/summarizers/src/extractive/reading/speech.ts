import { type Sentence, sentencesOf } from "../text/sentence.ts";
import type { Place } from "./place.ts";

/** Agents say what matters at the beginning and at the end of a message; the rest is detail. In UTF-16 code units. */
const AGENT_HEAD = 1_600;
const AGENT_TAIL = 900;

/** What somebody said in one message. Its sentences are read once, when they are asked for. */
export class Speech {
  readonly text: string;
  readonly place: Place;
  readonly speaker: "user" | "system" | "agent";
  /** True when the agent makes no call beside it, so that its turn may end there. */
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
      this.speaker === "agent" ? sentencesOf(this.text, AGENT_HEAD, AGENT_TAIL) : sentencesOf(this.text);
    return this.#sentences;
  }
}
