import type { LegalityRule } from "../../legality/legality-rule.ts";
import { toolsNamedOnce } from "../../legality/tools-named-once.ts";
import type { ResponsesView } from "./responses-view.ts";
import { callIdForm, callIdOnce, outputKind } from "./rules/call-ids.ts";
import { itemIdForm, itemIdOnce } from "./rules/item-ids.ts";
import { hasInput, knownRoles, wholeCompaction } from "./rules/items.ts";
import { jsonArguments } from "./rules/json-arguments.ts";
import { mediaPlaces } from "./rules/media-places.ts";
import { noBlankText } from "./rules/no-blank-text.ts";
import { pairing } from "./rules/pairing.ts";
import { reasoningPairs } from "./rules/reasoning-pairs.ts";
import { stateless } from "./rules/stateless.ts";
import { isNamedTool, toolNames } from "./rules/tools.ts";

/**
 * The legality table of OpenAI Responses. Anyone may speak first, last and between (W3, W4, W9, W10); reasoning is not
 * bound to its prefix (W13), and its absence from an open loop is no error (W12). A new rule is a file and a line.
 */
export const OPENAI_RESPONSES_RULES: readonly LegalityRule<ResponsesView>[] = [
  ...pairing,
  noBlankText,
  reasoningPairs,
  jsonArguments,
  hasInput,
  knownRoles,
  callIdForm,
  callIdOnce,
  outputKind,
  itemIdForm,
  itemIdOnce,
  stateless,
  wholeCompaction,
  mediaPlaces,
  toolNames,
  toolsNamedOnce(isNamedTool),
];
