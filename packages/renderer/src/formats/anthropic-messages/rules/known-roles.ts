import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import type { AnthropicView } from "../anthropic-view.ts";

export const knownRoles: LegalityRule<AnthropicView> = {
  id: "roles",
  description: "Messages are of role user or assistant; system text is a field of the request.",
  reference: "Roles",
  find: ({ messages }) =>
    messages.flatMap(({ role }, index) =>
      role === "user" || role === "assistant"
        ? []
        : [{ place: at(index, undefined, "role"), problem: "the role is neither user nor assistant" }],
    ),
};
