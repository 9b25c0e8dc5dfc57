import type { ToolCallPart } from "@threadfold/core";
import { derivation } from "../../neutral/derivation.ts";
import { acceptedToolName } from "../accepted-name.ts";
import type { PartRepair } from "./part-repair.ts";

/** Gives the tool of a call a name that the provider accepts: the same one that its definition gets. */
export const renameTool: PartRepair<ToolCallPart> = {
  name: "rename-tool",
  apply(part, { draft }, { requirements, warnings }) {
    const name = acceptedToolName(part.toolName, requirements.toolNames);
    if (name === part.toolName) return part;
    warnings.named("tool-renamed", [`${part.toolName} → ${name}`], draft.chat.sources);
    return renamed(part, name);
  },
};

const renamed = derivation((part: ToolCallPart, toolName: string): ToolCallPart => ({ ...part, toolName }));
