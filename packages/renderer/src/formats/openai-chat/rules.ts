import type { LegalityRule } from "../../legality/legality-rule.ts";
import { PAIRING_RULES } from "../../legality/pairing-rules.ts";
import type { OpenAIChatView } from "./openai-chat-view.ts";
import { callIdForm, callIdOnce } from "./rules/call-ids.ts";
import { hasMessages } from "./rules/has-messages.ts";
import { jsonArguments } from "./rules/json-arguments.ts";
import { knownRoles } from "./rules/known-roles.ts";
import { mediaPlaces } from "./rules/media-places.ts";
import { noBlankText } from "./rules/no-blank-text.ts";
import { toolNames } from "./rules/tool-names.ts";

/** The legality table of OpenAI Chat. Anyone may speak first and last here (W9, W10). A new rule is a file and a line. */
export const OPENAI_CHAT_RULES: readonly LegalityRule<OpenAIChatView>[] = [
  ...PAIRING_RULES,
  noBlankText,
  jsonArguments,
  knownRoles,
  hasMessages,
  callIdForm,
  callIdOnce,
  toolNames,
  mediaPlaces,
];
