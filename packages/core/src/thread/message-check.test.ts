import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonValues, messageInputs, runs } from "../laws/index.ts";
import { type MessageInput, messageInputSchema } from "../model/message.ts";
import { isCommonMessage } from "./message-check.ts";

/** Puts a value at one of the places of a JSON value, or takes it away. */
function withPlaceReplaced(value: unknown, place: { left: number }, replacement: unknown): unknown {
  if (place.left-- === 0) return replacement;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withPlaceReplaced(item, place, replacement));
  const entries = Object.entries(value).map(([key, item]) => [key, withPlaceReplaced(item, place, replacement)]);
  return Object.fromEntries(entries);
}

const replacements = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    "",
    "\ud800",
    Number.NaN,
    -1,
    [],
    {},
    () => 1,
    new Date(0),
    "x".repeat(600),
  ),
  jsonValues,
);

describe("isCommonMessage", () => {
  it("accepts nothing that the schema refuses, whatever is broken in a message", () => {
    const cases = messageInputs({ malformed: true, maxMessages: 6 }).filter((messages) => messages.length > 0);
    fc.assert(
      fc.property(cases, fc.nat(), fc.nat({ max: 40 }), replacements, (messages, which, left, replacement) => {
        const broken = withPlaceReplaced(messages[which % messages.length], { left }, replacement) as MessageInput;
        if (isCommonMessage(broken)) expect(messageInputSchema.safeParse(broken).success).toBe(true);
      }),
      runs(2_000),
    );
  });

  it("accepts what agents exchange all day", () => {
    fc.assert(
      fc.property(messageInputs({ maxMessages: 10 }), (messages) => {
        const rare = (message: MessageInput) =>
          /"(?:providerMetadata|determinism|durability|branch|image|file|opaque)"/.test(JSON.stringify(message));
        for (const message of messages) if (!rare(message)) expect(isCommonMessage(message)).toBe(true);
      }),
      runs(200),
    );
  });
});
