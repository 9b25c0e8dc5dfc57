import type { ToolDefinition } from "threadfold";

const field = (description: string) => ({ type: "string", description });

/** The tools of the scripted agent as a model is told about them. */
export const SCRIPTED_TOOLS: readonly ToolDefinition[] = [
  {
    name: "read_file",
    description: "Reads a file of the project.",
    inputSchema: { type: "object", properties: { path: field("Path of the file") }, required: ["path"] },
  },
  {
    name: "run_command",
    description: "Runs a command in the project's folder.",
    inputSchema: { type: "object", properties: { command: field("The command line") }, required: ["command"] },
  },
  {
    name: "search",
    description: "Searches the project for a pattern.",
    inputSchema: {
      type: "object",
      properties: { pattern: field("What to look for"), path: field("Folder to look in") },
      required: ["pattern", "path"],
    },
  },
];

/** The host's own words to the model. */
export const SYSTEM_TEXT = "You are a careful engineer. You look before you change, and you say what you found.";
