import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import type { GeminiView } from "../gemini-view.ts";

const ROLES: readonly unknown[] = ["user", "model", "function"];

export const endsOnUser: LegalityRule<GeminiView> = {
  id: "W9",
  description: "The last turn is of the user, or of responses.",
  reference: "Last message",
  find({ contents }) {
    const last = contents.length - 1;
    return contents[last]?.isModel === true
      ? [{ place: at(last), problem: "the request ends on a turn of the model" }]
      : [];
  },
};

export const startsOnUser: LegalityRule<GeminiView> = {
  id: "W10",
  description: "The first turn is of the user.",
  reference: "First message",
  find: ({ contents }) =>
    contents[0]?.isModel === true ? [{ place: at(0), problem: "the request starts on a turn of the model" }] : [],
};

export const knownRoles: LegalityRule<GeminiView> = {
  id: "roles",
  description: "Turns are of role user or model; older clients send responses as role function.",
  reference: "Roles",
  find: ({ contents }) =>
    contents.flatMap(({ role, index }) =>
      ROLES.includes(role) ? [] : [{ place: at(index, undefined, "role"), problem: "the role is not known" }],
    ),
};
