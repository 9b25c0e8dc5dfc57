import type { Message } from "@threadfold/core";

/**
 * Before each message, how many tool calls still run: their results come later. A call that is never answered does not
 * run, and an id that is used again belongs to the newest call with it.
 */
export function runningCalls(messages: readonly Message[]): readonly number[] {
  const results = resultPlaces(messages);
  const ends: number[] = [];
  return messages.map(({ parts }, index) => {
    const running = ends.filter((end) => end >= index);
    ends.splice(0, ends.length, ...running);
    for (const part of parts) {
      const end = part.type === "tool-call" ? results.get(part.callId)?.find((place) => place > index) : undefined;
      if (end !== undefined) ends.push(end);
    }
    return running.length;
  });
}

function resultPlaces(messages: readonly Message[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, { parts }] of messages.entries()) {
    for (const part of parts) {
      if (part.type !== "tool-result") continue;
      const known = places.get(part.result.callId);
      if (known === undefined) places.set(part.result.callId, [index]);
      else known.push(index);
    }
  }
  return places;
}
