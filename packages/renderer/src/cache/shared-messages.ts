import { type ChatMessage, type ChatRequest, canonicalJson, type SystemEntry } from "@threadfold/core";

/** How many messages two requests begin with alike; 0 when their system text or tools differ. */
export function sharedMessages(a: ChatRequest, b: ChatRequest): number {
  if (!sameFrame(a, b)) return 0;
  const length = Math.min(a.messages.length, b.messages.length);
  for (let index = 0; index < length; index++) {
    if (!sameMessage(a.messages[index] as ChatMessage, b.messages[index] as ChatMessage)) return index;
  }
  return length;
}

/** True when two requests have the same system text and the same tools. */
export const sameFrame = (a: ChatRequest, b: ChatRequest): boolean =>
  isSameSystem(a.system, b.system) && sameTools(a, b);

/** True when two lists of system texts say the same, and the same beside it. */
export const isSameSystem = (a: readonly SystemEntry[], b: readonly SystemEntry[]): boolean =>
  a === b || (a.length === b.length && a.every((entry, index) => isSameEntry(entry, b[index])));

const isSameEntry = (a: SystemEntry, b: SystemEntry | undefined): boolean =>
  a === b || (typeof a === "object" && b !== undefined && canonicalJson(a) === canonicalJson(b));

const sameTools = (a: ChatRequest, b: ChatRequest): boolean =>
  a.tools === b.tools || canonicalJson(a.tools) === canonicalJson(b.tools);

/** Parts of messages that did not change are mostly the same objects, so that comparing them costs nothing. */
const sameMessage = (a: ChatMessage, b: ChatMessage): boolean =>
  a.role === b.role &&
  a.providerMetadata === b.providerMetadata &&
  (a.parts === b.parts || canonicalJson(a.parts) === canonicalJson(b.parts));
