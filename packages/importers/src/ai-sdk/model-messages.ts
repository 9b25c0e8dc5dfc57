import type { Part } from "@threadfold/core";
import { opaquePart } from "../draft/opaque-part.ts";
import { type ForeignObject, listOf, objectOf, textOf } from "../reading/foreign-value.ts";
import type { AiSdkEntry } from "./ai-sdk-entry.ts";
import { aiSdkPart, aiSdkParts, metadataOf } from "./ai-sdk-parts.ts";
import { aiSdkCall, aiSdkResult } from "./ai-sdk-tools.ts";
import { compactionIn } from "./compaction-in.ts";

/** A `ModelMessage`: what the AI SDK sends to a model. */
export function addModelMessage(message: ForeignObject, entry: AiSdkEntry): void {
  const { draft, place } = entry;
  if (message.role === "assistant") addAssistant(message, entry);
  else if (message.role === "tool") addResults(message, entry);
  else {
    const role = message.role === "system" ? "system" : "user";
    draft.add({ ...place, role, parts: aiSdkParts(message.content), ...metadataOf(message) });
  }
}

function addAssistant(message: ForeignObject, { draft, place }: AiSdkEntry): void {
  const content = listOf(message.content);
  const parts =
    content?.map((value, index): Part => {
      const part = objectOf(value);
      // What ran at the provider has its result here too: both travel as they are, so that the pair holds.
      if (part?.type !== "tool-call" || part.providerExecuted === true) return aiSdkPart(value);
      const standIn = `call-${place.source.line}${place.source.path ?? ""}-${index}`;
      return aiSdkCall(part, textOf(part.toolName) ?? "", draft, standIn);
    }) ?? aiSdkParts(message.content);
  const messageId = draft.add({ ...place, role: "assistant", parts, ...metadataOf(message) });
  if (compactionIn(parts)) draft.compactions.push({ messageId, trigger: "server" });
}

/** Each result is a message of its own; what else stands beside them, such as an approval, is the harness's. */
function addResults(message: ForeignObject, { draft, place }: AiSdkEntry): void {
  const content = listOf(message.content) ?? [];
  const rest: Part[] = [];
  let results = 0;
  for (const [index, value] of content.entries()) {
    const part = objectOf(value);
    if (part?.type !== "tool-result") {
      rest.push(opaquePart("ai-sdk", value));
      continue;
    }
    const id = results === 0 ? place.id : `${place.id}.${results}`;
    draft.add({ ...place, id, role: "tool", parts: [aiSdkResult(part, draft, place.source, index)] });
    results++;
  }
  if (rest.length === 0 && results > 0) return;
  draft.add({
    ...place,
    id: results === 0 ? place.id : `${place.id}.rest`,
    role: "user",
    parts: rest,
    origin: "harness",
  });
}
