import { type ProviderAwareTokenizer, systemText, type ToolDefinition } from "@threadfold/core";
import { heuristicTokenizer } from "@threadfold/tokenizers";

const heuristic = heuristicTokenizer();
const NO_OVERHEAD = 0;

/** Counts four characters as a token and nothing beside: what figures are compared by, so that every policy has the same budget. */
export const charactersTokenizer: ProviderAwareTokenizer = Object.freeze<ProviderAwareTokenizer>({
  id: "characters",
  countTokens: (text) => heuristic.countTokens(text),
  countPart: (part) => heuristic.countPart(part),
  messageOverhead: () => NO_OVERHEAD,
  countMessage: ({ parts }) => parts.reduce((sum, part) => sum + heuristic.countPart(part), 0),
  countToolSchemas: (_tools: readonly ToolDefinition[]) => NO_OVERHEAD,
  countRequest: ({ system, messages }) =>
    [
      ...system.map((entry) => heuristic.countTokens(systemText(entry))),
      ...messages.flatMap(({ parts }) => parts.map((part) => heuristic.countPart(part))),
    ].reduce((sum, tokens) => sum + tokens, 0),
});
