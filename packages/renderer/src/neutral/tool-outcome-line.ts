import type { ToolResultEnvelope } from "@threadfold/core";
import { singleLine } from "./single-line.ts";

/** No sensible tool name is longer; the log may hold any. In UTF-16 code units. */
const MAX_TOOL_NAME = 80;

/** Which tool it was and how it ended. */
export const toolOutcome = ({ toolName, outcome }: ToolResultEnvelope): string =>
  `${singleLine(toolName, MAX_TOOL_NAME)}: ${outcome}`;
