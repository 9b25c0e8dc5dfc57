import { type Message, toolResultText } from "threadfold";

/** A tool call, as every peer wants it: with an object as its arguments. */
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

/** The visible text of a message, its parts on lines of their own. Reasoning and media are not compared. */
export function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : [])).join("\n");
}

/** The calls of a message. */
export function callsOf({ parts }: Message): readonly PlainCall[] {
  return parts.flatMap((part) =>
    part.type === "tool-call" ? [{ id: part.callId, name: part.toolName, input: objectOf(part.input) }] : [],
  );
}

/** The results of a message. */
export function resultsOf({ parts }: Message): readonly PlainResult[] {
  return parts.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { callId, toolName, content, outcome } = part.result;
    return [{ id: callId, name: toolName, text: toolResultText(content), failed: outcome === "failure" }];
  });
}

/** A call as text, as the comparison counts it. */
export function callText(name: string, input: unknown): string {
  return `${name} ${typeof input === "string" ? input : JSON.stringify(input ?? {})}`;
}

/** The given texts that are not empty, a line break between. */
export function lines(texts: readonly string[]): string {
  return texts.filter(Boolean).join("\n");
}

function objectOf(input: unknown): Record<string, unknown> {
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : { input };
}

/** Messages in runs: results that follow each other stand together, every other message alone. */
export function resultRuns(messages: readonly Message[]): readonly (readonly Message[])[] {
  const runs: Message[][] = [];
  for (const message of messages) {
    const last = runs.at(-1);
    if (message.role === "tool" && last?.[0]?.role === "tool") last.push(message);
    else runs.push([message]);
  }
  return runs;
}
