import { type Message, type Part, toolResultText } from "@threadfold/core";
import { redactSecrets } from "@threadfold/summarizers";
import type { BlockText, BodyPart, MessageBody } from "../rows/bodies.ts";
import type { BodyChoice } from "../rows/inspection-index.ts";

/** How much of a text is shown if bodies are short, in UTF-16 code units. */
const SHORT_HEAD = 400;
const SHORT_TAIL = 200;
/** Maximum length of a title, and how much is read for it: a secret is only recognized when it is complete. */
const TITLE = 120;
const TITLE_READS = 4_000;

/** Writes the content of messages, as far as it is shown. */
export class BodyText {
  readonly #choice: BodyChoice;
  readonly #redacts: boolean;

  constructor(choice: BodyChoice, redacts: boolean) {
    this.#choice = choice;
    this.#redacts = redacts;
  }

  /** Returns the beginning of a message on one line; empty if bodies are left out. */
  async title({ parts }: Pick<Message, "parts">): Promise<string> {
    if (this.#choice === "none") return "";
    let text = "";
    for (const part of parts) {
      if (text.length >= TITLE_READS) break;
      text += `${text === "" ? "" : " "}${partText(part).slice(0, TITLE_READS)}`;
    }
    const line = (await this.redacted(text.slice(0, TITLE_READS))).replace(/\s+/g, " ").trim();
    return line.length > TITLE ? `${line.slice(0, TITLE).toWellFormed()}…` : line;
  }

  async message({ parts }: Pick<Message, "parts">): Promise<MessageBody> {
    return { parts: await Promise.all(parts.map((part) => this.#part(part))) };
  }

  async block(text: string): Promise<BlockText> {
    return this.#cut(await this.redacted(text));
  }

  async redacted(text: string): Promise<string> {
    return this.#redacts ? (await redactSecrets(text)).text : text;
  }

  async #part(part: Part): Promise<BodyPart> {
    const shown = async (): Promise<BlockText> => this.#cut(await this.redacted(partText(part)));
    switch (part.type) {
      case "text":
      case "reasoning":
        return { type: part.type, ...(await shown()) };
      case "tool-call":
        return { type: "tool-call", tool: part.toolName, callId: part.callId, ...(await shown()) };
      case "tool-result": {
        const { toolName: tool, callId, outcome } = part.result;
        return { type: "tool-result", tool, callId, outcome, ...(await shown()) };
      }
      default:
        return { type: part.type, text: partText(part) };
    }
  }

  #cut(text: string): BlockText {
    const cut = text.length - SHORT_HEAD - SHORT_TAIL;
    if (this.#choice === "all" || cut <= 0) return { text };
    return { text: `${text.slice(0, SHORT_HEAD)}…${text.slice(-SHORT_TAIL)}`.toWellFormed(), cut };
  }
}

/** Returns the text that represents a part to a person. */
function partText(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return part.invalidInput ?? JSON.stringify(part.input);
    case "tool-result":
      return toolResultText(part.result.content);
    case "image":
    case "file":
      return part.name ?? part.type;
    case "opaque":
      return part.type;
  }
}
