import type { ToolDefinition } from "@threadfold/core";
import { acceptedToolName } from "./accepted-name.ts";
import type { Repair } from "./conformance.ts";

/** Gives tool definitions names that the provider accepts, and one definition per name. */
export const defineToolsOnce: Repair = {
  name: "define-tools-once",
  end: "first",
  apply(request, { requirements: { toolNames }, warnings }) {
    if (toolNames.refused === null && toolNames.maxLength === null) return request;
    const taken = new Set<string>();
    const tools = request.tools.flatMap((tool): readonly ToolDefinition[] => {
      const name = acceptedToolName(tool.name, toolNames);
      if (name !== tool.name) warnings.named("tool-renamed", [`${tool.name} → ${name}`]);
      if (taken.has(name)) warnings.named("tool-definition-left-out", [tool.name]);
      const isNew = !taken.has(name) && taken.add(name);
      return isNew ? [name === tool.name ? tool : { ...tool, name }] : [];
    });
    const unchanged =
      tools.length === request.tools.length && tools.every((tool, index) => tool === request.tools[index]);
    return unchanged ? request : { ...request, tools };
  },
};
