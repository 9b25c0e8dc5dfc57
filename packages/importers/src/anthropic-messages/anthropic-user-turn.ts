import type { Part, ToolResultPart } from "@threadfold/core";
import { providerExtras } from "../draft/provider-extras.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { toolResultContent } from "../draft/tool-result-content.ts";
import { type ForeignObject, objectOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../source-pointer.ts";
import { anthropicPart, blocksOf } from "./anthropic-parts.ts";

const RESULT_FIELDS = new Set(["type", "tool_use_id", "content", "is_error"]);

/** A user turn of the Anthropic API, taken apart: each tool result is a message of its own in Threadfold. */
export interface AnthropicUserTurn {
  readonly results: readonly ToolResultPart[];
  /** Everything else that stood in the turn, in order. */
  readonly rest: readonly Part[];
  /** True when somebody may have typed something: `rest` has text. */
  readonly hasText: boolean;
}

export function anthropicUserTurn(content: unknown, draft: SessionDraft, at: SourcePointer): AnthropicUserTurn {
  const results: ToolResultPart[] = [];
  const rest: Part[] = [];
  for (const block of blocksOf(content)) {
    const fields = objectOf(block);
    if (fields?.type === "tool_result")
      results.push(readResult(fields, draft, `result-${at.line}${at.path ?? ""}-${results.length}`));
    else rest.push(anthropicPart(block));
  }
  return { results, rest, hasText: rest.some((part) => part.type === "text" && part.text.trim() !== "") };
}

function readResult(block: ForeignObject, draft: SessionDraft, standIn: string): ToolResultPart {
  return {
    type: "tool-result",
    result: {
      ...draft.calls.answer(block.tool_use_id, undefined, standIn),
      outcome: block.is_error === true ? "failure" : "success",
      content: toolResultContent(block.content, anthropicPart),
    },
    ...providerExtras("anthropic", block, RESULT_FIELDS),
  };
}
