import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import type { AiSdkView } from "../ai-sdk-view.ts";

const ROLES: readonly unknown[] = ["user", "assistant", "tool"];

export const knownRoles: LegalityRule<AiSdkView> = {
  id: "roles",
  description: "Messages are of role user, assistant or tool; system text is in the instructions.",
  reference: "Roles",
  find: ({ messages }) =>
    messages.flatMap(({ role }, index) =>
      ROLES.includes(role)
        ? []
        : [{ place: at(index, undefined, "role"), problem: "the role is neither user nor assistant nor tool" }],
    ),
};
