import { type Message, toolResultText } from "threadfold";

/** A tool call in the form that every peer wants: with an object as its arguments. */
export interface PlainCall {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** A tool result as text. */
export interface PlainResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
}

/** Returns the visible text of a message, with each part on its own lines. Reasoning and media are not compared. */
export function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : [])).join("\n");
}

/** Returns the tool calls of a message. */
export function callsOf({ parts }: Message): readonly PlainCall[] {
  return parts.flatMap((part) =>
    part.type === "tool-call" ? [{ id: part.callId, name: part.toolName, input: objectOf(part.input) }] : [],
  );
}

/** Returns the tool results of a message. */
export function resultsOf({ parts }: Message): readonly PlainResult[] {
  return parts.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { callId, toolName, content, outcome } = part.result;
    return [{ id: callId, name: toolName, text: toolResultText(content), failed: outcome === "failure" }];
  });
}

/** Returns a call as text, as the comparison counts it. */
export function callText(name: string, input: unknown): string {
  return `${name} ${typeof input === "string" ? input : JSON.stringify(input ?? {})}`;
}

/** Joins the texts that are not empty with line breaks. */
export function lines(texts: readonly string[]): string {
  return texts.filter(Boolean).join("\n");
}

function objectOf(input: unknown): Record<string, unknown> {
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : { input };
}

/** Splits messages into runs: consecutive tool results are together, every other message is alone. */
export function resultRuns(messages: readonly Message[]): readonly (readonly Message[])[] {
  const runs: Message[][] = [];
  for (const message of messages) {
    const last = runs.at(-1);
    if (message.role === "tool" && last?.[0]?.role === "tool") last.push(message);
    else runs.push([message]);
  }
  return runs;
}
