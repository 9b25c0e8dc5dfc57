import {
  type ClearRecord,
  previewOf,
  type ToolResultContent,
  type ToolResultEnvelope,
  toolResultText,
} from "@threadfold/core";
import { previewLines } from "./body-preview.ts";
import { keyDataLines } from "./key-data.ts";
import { mediaMarker } from "./media-marker.ts";
import type { RecallTools } from "./recall-tools.ts";
import { toolOutcome } from "./tool-outcome-line.ts";
import { truncateMiddle } from "./truncate-middle.ts";

/** The body that a cleared tool result has instead of its own. Call id, tool name and outcome stay where they are. */
export function clearedResult(
  result: ToolResultEnvelope,
  ordinal: number,
  record: ClearRecord,
  recall: RecallTools,
): ToolResultContent {
  if (record.targets.includes("tool-result")) {
    const preview = previewOf(record);
    if (preview !== undefined) {
      const [what, ...lines] = previewLines(result, preview, { ordinal, artifactId: null }, recall);
      return { type: "text", text: [`[${what}]`, ...lines].join("\n") };
    }
    return record.keep === undefined ? placeholder(result, record) : truncated(result, record, record.keep);
  }
  return record.targets.includes("media") ? withoutMedia(result.content) : result.content;
}

/** Seed 002, `to_cleared_placeholder`. */
function placeholder(result: ToolResultEnvelope, record: ClearRecord): ToolResultContent {
  const size = toolResultText(result.content).length;
  const lines = [`[${toolOutcome(result)}]`, ...keyDataLines(record.preservedFields), `[cleared: ${size} characters]`];
  return { type: "text", text: lines.join("\n") };
}

function truncated(
  result: ToolResultEnvelope,
  record: ClearRecord,
  keep: NonNullable<ClearRecord["keep"]>,
): ToolResultContent {
  const text = toolResultText(result.content);
  const shorter = truncateMiddle(text, keep);
  if (shorter === text) return result.content;
  return { type: "text", text: [shorter, ...keyDataLines(record.preservedFields)].join("\n") };
}

function withoutMedia(content: ToolResultContent): ToolResultContent {
  if (content.type !== "blocks") return content;
  return {
    ...content,
    blocks: content.blocks.map((block) => (block.type === "text" ? block : mediaMarker(block, "cleared"))),
  };
}
