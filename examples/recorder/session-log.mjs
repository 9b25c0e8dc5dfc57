// Writes a session in the format of the pi coding agent: JSON lines, version 3, each entry with its id and its parent's
// id.
import { createHash } from "node:crypto";
import { NEUTRAL_ROOT } from "./working-copy.mjs";

const START = Date.parse("2026-03-02T09:00:00.000Z");

/**
 * The log of one session. Ids come from the session's name and a counter, times from a clock that the script advances.
 */
export class SessionLog {
  #name;
  #entries = [];
  #calls = 0;
  #now = START;

  constructor(name) {
    this.#name = name;
    const id = this.#hash("session", 0).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, "$1-$2-4$3-8$4-$5");
    this.#entries.push({ type: "session", version: 3, id, timestamp: this.#time(), cwd: NEUTRAL_ROOT });
    this.#append({ type: "model_change", provider: "scripted", modelId: "scripted-agent" });
  }

  /** Logs a message that a person types, at about eight characters per second. */
  user(text) {
    this.#wait(20_000 + text.length * 125);
    this.#message({ role: "user", content: [{ type: "text", text }] });
  }

  /** Logs what the agent says, with the calls it makes. @returns {string[]} the ids of the calls */
  assistant(text, calls) {
    this.#wait(1_500 + (text.length + JSON.stringify(calls).length) * 4);
    const ids = calls.map(() => `toolu_${this.#hash("call", this.#calls++).slice(0, 24)}`);
    const toolCalls = calls.map(({ name, arguments: input }, index) => ({
      type: "toolCall",
      id: ids[index],
      name,
      arguments: input,
    }));
    const content = [...(text === "" ? [] : [{ type: "text", text }]), ...toolCalls];
    this.#message({
      role: "assistant",
      content,
      api: "scripted",
      provider: "scripted",
      model: "scripted-agent",
      stopReason: calls.length > 0 ? "toolUse" : "stop",
    });
    return ids;
  }

  toolResult(toolCallId, toolName, { text, isError }) {
    this.#wait(400);
    this.#message({ role: "toolResult", toolCallId, toolName, content: [{ type: "text", text }], isError });
  }

  /** Returns the log as JSON lines. */
  toString() {
    return this.#entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  }

  /** Returns the number of characters that a model would see, and of the messages that contain them. */
  size() {
    const messages = this.#entries.filter(({ type }) => type === "message").map(({ message }) => message);
    const visible = messages.flatMap(({ content }) => content).map(visibleCharacters);
    return { messages: messages.length, characters: visible.reduce((sum, characters) => sum + characters, 0) };
  }

  #message(message) {
    this.#append({ type: "message", message: { ...message, timestamp: this.#now } });
  }

  #append({ type, ...rest }) {
    const parentId = this.#entries.length > 1 ? this.#entries.at(-1).id : null;
    const id = this.#hash("entry", this.#entries.length).slice(0, 8);
    this.#entries.push({ type, id, parentId, timestamp: this.#time(), ...rest });
  }

  #wait(milliseconds) {
    this.#now += milliseconds;
  }

  #time() {
    return new Date(this.#now).toISOString();
  }

  #hash(kind, count) {
    return createHash("sha256")
      .update(JSON.stringify([this.#name, kind, count]))
      .digest("hex");
  }
}

const visibleCharacters = (block) =>
  block.type === "text" ? block.text.length : JSON.stringify(block.arguments).length;
