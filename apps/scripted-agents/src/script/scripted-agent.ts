import type { JsonObject, Summarizer, ToolDefinition } from "threadfold";

/** A tool call made by the scripted model. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** The scripted model's answer to one request. A move without calls ends the user's turn. */
export interface ScriptedMove {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
}

/** The rule that the user gives at the start. It must be in every request, word for word. */
export const STANDING_RULE = "Never edit config/production.yaml without asking me first.";

/** Number of model calls between two user messages. */
export const MOVES_PER_TURN = 12;

/** Returns the user's message before model call `index`; undefined while the agent is still working. */
export function userMessageBefore(index: number): string | undefined {
  if (index % MOVES_PER_TURN !== 0) return undefined;
  const turn = index / MOVES_PER_TURN;
  if (turn === 0) return `Work through the modules one by one and make their tests pass. ${STANDING_RULE}`;
  return `Now module ${moduleAt(index)}: find out why its test fails, mend it and tell me what it was.`;
}

/** Returns the model's answer to call `index`: the same on every run, like a recording. */
export function moveAt(index: number): ScriptedMove {
  const name = moduleAt(index);
  const place = index % MOVES_PER_TURN;
  const thinking = `Step ${place + 1} on ${name}: I look at what is known before I change anything.`;
  if (place === MOVES_PER_TURN - 1)
    return { thinking, text: `${name} is mended: its reader dropped the last line of a file.`, calls: [] };
  // Every third step looks at two things at once.
  const calls = place % 3 === 2 ? [callAt(index, 0), callAt(index, 1)] : [callAt(index, 0)];
  return { thinking, text: place % 4 === 0 ? `I look further into ${name}.` : "", calls };
}

/** Returns a tool's result: from a short line to several pages, the same text for the same input. */
export function toolResult({ name, input }: Pick<ScriptedCall, "name" | "input">): string {
  const seed = checksum(JSON.stringify([name, input]));
  const lines = 3 + (seed % (seed % 5 === 0 ? 140 : 40));
  const subject = String(Object.values(input)[0]);
  return Array.from({ length: lines }, (_, line) => lineOf(subject, seed, line)).join("\n");
}

const moduleAt = (index: number): string => `src/module-${Math.floor(index / MOVES_PER_TURN)}.ts`;

function callAt(index: number, slot: number): ScriptedCall {
  const id = `call_${index}_${slot}`;
  const file = slot === 0 ? moduleAt(index) : moduleAt(index).replace(".ts", ".test.ts");
  switch ((index + slot) % 3) {
    case 0:
      return { id, name: "read_file", input: { path: file } };
    case 1:
      return { id, name: "run_command", input: { command: `npm test -- ${file} --seed=${index}` } };
    default:
      return { id, name: "search", input: { pattern: `handle_${index}_${slot}`, path: "src" } };
  }
}

const lineOf = (subject: string, seed: number, line: number): string =>
  `${line + 1}: ${subject} | value_${(seed * (line + 7)) % 9_973} = compute(${(seed + line * 31) % 997}) // item ${line}`;

/** Returns a small, stable number for a text. */
function checksum(text: string): number {
  let sum = 7;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return sum;
}

const field = (description: string) => ({ type: "string", description });

/** The tools of the scripted agent as declared to a model. */
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

/** The host's own instructions to the model. */
export const SYSTEM_TEXT = "You are a careful engineer. You look before you change, and you say what you found.";

/** A summarizer that counts how often it is asked and always fails. */
export function failingSummarizer(): Summarizer & { readonly asked: number } {
  let asked = 0;
  return {
    id: "down",
    get asked() {
      return asked;
    },
    summarize: () => {
      asked++;
      return Promise.reject(new Error("The summarizer is down."));
    },
  };
}
