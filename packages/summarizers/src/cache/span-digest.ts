import { canonicalJson, type Message, type Part, type SummarizeRequest, sha256 } from "@threadfold/core";

const partDigests = new WeakMap<Part, string>();

/**
 * Digest of what a span says, whoever says it in whichever thread: roles, turns and steps counted from the span's start,
 * and parts without their ids. Spans with equal digests get equal summaries, once ids and turns are put in their place.
 * The digest of a part is kept with the part, so that asking again costs nothing.
 */
export function spanDigest({ messages, span }: Pick<SummarizeRequest, "messages" | "span">): string {
  const callNumbers = new Map<string, number>();
  const firstStep = messages[0]?.step ?? 0;
  const content = messages.map((message) => [
    message.role,
    message.origin ?? null,
    message.branch ?? null,
    message.turn - span.firstTurn,
    message.step - firstStep,
    message.parts.map((part) => [partDigest(part), callNumber(part, callNumbers)]),
  ]);
  return sha256(canonicalJson(content));
}

function partDigest(part: Part): string {
  let digest = partDigests.get(part);
  if (digest === undefined) {
    digest = sha256(canonicalJson(withoutIds(part)));
    partDigests.set(part, digest);
  }
  return digest;
}

function withoutIds(part: Part): unknown {
  switch (part.type) {
    case "tool-call": {
      const { callId: _callId, providerMetadata: _metadata, ...rest } = part;
      return rest;
    }
    case "tool-result": {
      const { callId: _callId, startedAt: _started, completedAt: _completed, ...result } = part.result;
      return { type: part.type, result };
    }
    case "opaque":
      return part;
    default: {
      const { providerMetadata: _metadata, ...rest } = part;
      return rest;
    }
  }
}

/** Which call of the span a part makes or answers, by order of first mention. */
function callNumber(part: Part, numbers: Map<Message["id"] | string, number>): number | null {
  const id = part.type === "tool-call" ? part.callId : part.type === "tool-result" ? part.result.callId : null;
  if (id === null) return null;
  const known = numbers.get(id);
  if (known !== undefined) return known;
  numbers.set(id, numbers.size);
  return numbers.size - 1;
}
