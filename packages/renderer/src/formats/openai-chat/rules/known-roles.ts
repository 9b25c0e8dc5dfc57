import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import type { OpenAIChatView } from "../openai-chat-view.ts";

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool"];

export const knownRoles: LegalityRule<OpenAIChatView> = {
  id: "roles",
  description: "Messages are of role system, developer, user, assistant or tool.",
  reference: "Roles",
  find: ({ messages }) =>
    messages.flatMap(({ role }, index) =>
      ROLES.includes(role) ? [] : [{ place: at(index, undefined, "role"), problem: "the role is not known" }],
    ),
};
