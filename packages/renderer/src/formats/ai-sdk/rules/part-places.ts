import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import { type AiSdkView, placeOf } from "../ai-sdk-view.ts";

/** The kinds of part that each role may hold. Files of the assistant are legal to the SDK and not to every provider. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  user: ["text", "file", "image"],
  assistant: [
    "text",
    "reasoning",
    "reasoning-file",
    "tool-call",
    "tool-result",
    "tool-approval-request",
    "custom",
    "file",
  ],
  tool: ["tool-result", "tool-approval-response"],
};

export const partPlaces: LegalityRule<AiSdkView> = {
  id: "part-places",
  description: "Each part stands in a message of a role that may hold its kind.",
  reference: "Images/docs",
  find: ({ parts }) =>
    parts
      .filter(({ part, role }) => KINDS[role] !== undefined && !KINDS[role].includes(asText(part.type) ?? ""))
      .map((placed) => ({ place: placeOf(placed), problem: `a ${placed.role} message holds such a part` })),
};
