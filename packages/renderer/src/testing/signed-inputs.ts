import { AgentThread, type JsonObject, type Message, type Part, type ThreadEntryInput } from "@threadfold/core";
import fc from "fast-check";
import { countThread, renderInputs } from "../laws/render-inputs.ts";
import type { RenderInput } from "../render-input.ts";

/**
 * The inputs of the laws with what OpenAI and Google put on their parts: item ids (some used twice), whole reasoning items,
 * names of speakers, marks of custom tools, thought signatures and hosted items, on some parts and not on others.
 */
export const signedInputs: fc.Arbitrary<RenderInput> = fc
  .tuple(renderInputs, fc.infiniteStream(fc.integer({ min: 0, max: 9 })))
  .map(([input, dice]) => {
    const next = (): number => dice.next().value as number;
    const entries = [...input.thread.entries].map((entry): ThreadEntryInput => {
      if (entry.type !== "message") return entry;
      const { ordinal: _o, turn: _t, step: _s, ...message }: Message = entry.message;
      const parts = message.parts.flatMap((part) => [...hostedBefore(part, next()), signed(part, next())]);
      const spoken = spokenBy(message, next());
      return {
        type: "message",
        message: { ...message, ...spoken, parts: message.role === "tool" ? message.parts : parts },
      };
    });
    const thread = AgentThread.empty(input.thread.id).appendEntries(entries);
    return { ...input, thread, ledger: countThread(thread) };
  });

/** Names of speakers, and OpenAI's two roles of system messages. */
function spokenBy({ role }: Pick<Message, "role">, die: number): Pick<Message, "providerMetadata"> {
  if (die % 3 === 0) return {};
  const spoken = role === "system" && die < 5 ? { role: die < 3 ? "developer" : "system" } : {};
  return { providerMetadata: { openai: { name: `speaker-${die}`, ...spoken } } };
}

function signed(part: Part, die: number): Part {
  const google = { thoughtSignature: `c2ln${die}` };
  switch (part.type) {
    case "text":
      return withMetadata(part, { openai: { id: `msg_${die}`, phase: "commentary" }, google }, die);
    case "tool-call":
      return withMetadata(
        part,
        { openai: die === 9 ? { type: "custom_tool_call" } : { id: `fc_${die}` }, google },
        die,
      );
    case "reasoning": {
      const item = { type: "reasoning", id: `rs_${die}`, summary: [] };
      const proof = die < 5 ? { provider: "openai", encrypted: "ZW5j" } : { provider: "google", signature: "c2ln" };
      return withMetadata({ ...part, ...proof }, { openai: { item } }, die);
    }
    default:
      return part;
  }
}

const withMetadata = (part: Part, providerMetadata: Readonly<Record<string, JsonObject>>, die: number): Part =>
  die % 3 === 0 ? part : ({ ...part, providerMetadata } as Part);

const HOSTED: readonly JsonObject[] = [
  { type: "web_search_call", id: "ws_1" },
  { type: "compaction", encrypted_content: "ZW5j" },
];

/** Hosted items stand between others; they are never answered. */
function hostedBefore({ type }: Part, die: number): readonly Part[] {
  const value = type === "tool-call" ? HOSTED[die] : undefined;
  return value === undefined ? [] : [{ type: "opaque", provider: "openai", value }];
}
