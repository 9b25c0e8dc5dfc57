import {
  type ClearRecord,
  type ClearTarget,
  canonicalJson,
  type JsonObject,
  type Message,
  type ToolCallPart,
  type ToolResultEnvelope,
  toolResultText,
} from "@threadfold/core";
import { type CompactionProposal, toolPolicy } from "@threadfold/strategies";
import { resultKeyFields } from "./declared-fields.ts";
import { type Fulfilment, messagesOf, recordBase } from "./fulfilment.ts";
import { inputNames, largeCharacters } from "./telling-names.ts";

type ClearProposal = CompactionProposal & { readonly action: "clear" };

/** Length of a placeholder without its key fields, in UTF-16 code units. For estimates only. */
const PLACEHOLDER_LENGTH = 80;

/**
 * Makes a record that clears bodies, with what their placeholders show: key fields of a result, and names in a call's
 * large arguments. Targets whose bodies are too small to free anything are left out; null when none is left (S29).
 */
export function clearRecord(proposal: ClearProposal, fulfilment: Fulfilment): ClearRecord | null {
  const messages = messagesOf(proposal, fulfilment);
  const preservedFields = { ...resultFields(messages, fulfilment), ...inputFields(messages, proposal) };
  const targets = proposal.targets.filter((target) => frees(target, messages, preservedFields, proposal));
  if (targets.length === 0) return null;
  return {
    ...recordBase(proposal, fulfilment),
    action: "clear",
    targets,
    preservedFields,
    ...(proposal.keep !== undefined && { keep: proposal.keep }),
  };
}

function resultFields(messages: readonly Message[], { config }: Fulfilment): JsonObject {
  const result = resultOf(messages[0]);
  return result === undefined ? {} : resultKeyFields(result, toolPolicy(config, result.toolName));
}

/** Returns the names in cleared arguments, by call id. */
function inputFields(messages: readonly Message[], { targets }: ClearProposal): JsonObject {
  if (!targets.includes("tool-input")) return {};
  const named = callsOf(messages)
    .map((call): [string, readonly string[]] => [call.callId, inputNames(call)])
    .filter(([, names]) => names.length > 0);
  return named.length === 0 ? {} : { names: Object.fromEntries(named) };
}

function frees(
  target: ClearTarget,
  messages: readonly Message[],
  preservedFields: JsonObject,
  { keep }: ClearProposal,
): boolean {
  const kept = keep === undefined ? 0 : keep.headCharacters + keep.tailCharacters;
  const placeholder = canonicalJson(preservedFields).length + PLACEHOLDER_LENGTH + kept;
  switch (target) {
    case "tool-result":
      return messages.some((message) => {
        const result = resultOf(message);
        return result !== undefined && toolResultText(result.content).length > placeholder;
      });
    case "tool-input":
      return callsOf(messages).reduce((sum, call) => sum + largeCharacters(call), 0) > placeholder;
    default:
      return true;
  }
}

function resultOf(message: Message | undefined): ToolResultEnvelope | undefined {
  const part = message?.parts[0];
  return part?.type === "tool-result" ? part.result : undefined;
}

const callsOf = (messages: readonly Message[]): readonly ToolCallPart[] =>
  messages.flatMap(({ parts }) => parts.filter((part): part is ToolCallPart => part.type === "tool-call"));
