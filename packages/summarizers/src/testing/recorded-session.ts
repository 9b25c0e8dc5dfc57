import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  AgentThread,
  asMessageId,
  asThreadId,
  asToolCallId,
  type JsonValue,
  type Message,
  type MessageInput,
  type Part,
} from "@threadfold/core";

/** The folder of recorded sessions: next to the project, or set by `THREADFOLD_DATA`. */
export const RECORDED_SESSIONS =
  process.env["THREADFOLD_DATA"] ?? new URL("../../../../../shared/data", import.meta.url).pathname;

type Raw = Readonly<Record<string, unknown>>;

/**
 * Reads a recorded OpenAI chat or Anthropic Messages trajectory as the messages of a thread. Just enough of a reader
 * for measurements, without the importers' handling of malformed files.
 */
export function readRecordedSession(path: string): readonly Message[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const reader = new Reader();
  if (path.includes(".jsonl")) for (const line of text.split("\n")) reader.addLine(line);
  else for (const message of (JSON.parse(text) as { messages: Raw[] }).messages) reader.add(message);
  return [...AgentThread.empty(asThreadId("recorded")).append(reader.inputs).messages];
}

class Reader {
  readonly inputs: MessageInput[] = [];
  readonly #tools = new Map<string, string>();

  /** Adds the message of a line of a Claude Code or pi log, if it has one. */
  addLine(line: string): void {
    let record: Raw;
    try {
      record = JSON.parse(line) as Raw;
    } catch {
      return;
    }
    const message = record["message"] as Raw | undefined;
    if (message === undefined || record["isMeta"] === true || record["isSidechain"] === true) return;
    if (record["isCompactSummary"] === true) return;
    this.add(message);
  }

  add(message: Raw): void {
    const role = message["role"];
    if (role === "tool") return this.#result(String(message["tool_call_id"]), message["content"], false);
    if (role === "toolResult")
      return this.#result(String(message["toolCallId"]), message["content"], message["isError"] === true);
    if (role === "bashExecution") return;
    const parts: Part[] = [];
    const blocks =
      typeof message["content"] === "string"
        ? [{ type: "text", text: message["content"] }]
        : ((message["content"] ?? []) as Raw[]);
    for (const block of blocks) this.#block(block, parts);
    for (const call of (message["tool_calls"] ?? []) as Raw[]) {
      const details = call["function"] as Raw;
      parts.push(this.#call(String(call["id"]), String(details["name"]), parse(String(details["arguments"]))));
    }
    if (parts.length > 0) this.#push(role as MessageInput["role"], parts);
  }

  #block(block: Raw, parts: Part[]): void {
    switch (block["type"]) {
      case "text":
        if (String(block["text"]) !== "") parts.push({ type: "text", text: String(block["text"]).toWellFormed() });
        return;
      case "thinking":
        parts.push({ type: "reasoning", text: String(block["thinking"] ?? "").toWellFormed() });
        return;
      case "tool_use":
        parts.push(this.#call(String(block["id"]), String(block["name"]), block["input"] as JsonValue));
        return;
      case "toolCall":
        parts.push(this.#call(String(block["id"]), String(block["name"]), block["arguments"] as JsonValue));
        return;
      case "tool_result":
        this.#result(String(block["tool_use_id"]), block["content"], block["is_error"] === true);
    }
  }

  #call(id: string, toolName: string, input: JsonValue): Part {
    this.#tools.set(id, toolName);
    return { type: "tool-call", callId: asToolCallId(id), toolName, input };
  }

  #result(id: string, content: unknown, failed: boolean): void {
    const text =
      typeof content === "string"
        ? content
        : ((content ?? []) as Raw[]).map((block) => String(block["text"] ?? "")).join("\n");
    const toolName = this.#tools.get(id) ?? "unknown";
    const result = { toolName, callId: asToolCallId(id), outcome: failed ? "failure" : "success" } as const;
    this.#push("tool", [
      { type: "tool-result", result: { ...result, content: { type: "text", text: text.toWellFormed() } } },
    ]);
  }

  #push(role: MessageInput["role"], parts: readonly Part[]): void {
    const id = asMessageId(`m${this.inputs.length}`);
    this.inputs.push({ id, role, parts, createdAt: "2025-01-01T00:00:00.000Z" });
  }
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
