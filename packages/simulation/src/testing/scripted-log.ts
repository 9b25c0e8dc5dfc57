import { asMessageId, asThreadId, asToolCallId, type MessageInput } from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { type RecordedSession, recordedSession } from "../recording/recorded-session.ts";

/** One message of a scripted log: who says what, and how many seconds after the previous one. */
export type ScriptedMessage =
  | { readonly user: string; readonly after?: number }
  | { readonly says: string; readonly after?: number }
  | { readonly handsOver: string; readonly after?: number }
  | {
      readonly calls: string;
      readonly input: Readonly<Record<string, string>>;
      readonly id: string;
      readonly after?: number;
    }
  | { readonly result: string; readonly id: string; readonly after?: number };

const START = Date.UTC(2026, 0, 1);

/** Returns a recorded session from a script, with one second between messages unless it says otherwise. */
export function scriptedSession(script: readonly ScriptedMessage[], system: readonly string[] = []): RecordedSession {
  return recordedSession(scriptedImport(script, system), "scripted");
}

/** Returns the same session as an importer would return it. */
function scriptedImport(script: readonly ScriptedMessage[], system: readonly string[] = []): ImportedSession {
  let at = START;
  const messages = script.map((line, index): MessageInput => {
    at += 1_000 * (line.after ?? 1);
    return { id: asMessageId(`m${index}`), createdAt: new Date(at).toISOString(), ...contentOf(line) };
  });
  return {
    format: "openai-chat",
    threadId: asThreadId("scripted"),
    messages,
    system,
    tools: [],
    compactions: [],
    malformed: [],
    nonPrompt: [],
    warnings: [],
    source: { bytes: 0, sha256: "", text: "", records: messages.length },
  };
}

function contentOf(line: ScriptedMessage): Pick<MessageInput, "role" | "parts" | "origin"> {
  if ("handsOver" in line)
    return { role: "user", origin: "compaction", parts: [{ type: "text", text: line.handsOver }] };
  if ("user" in line) return { role: "user", parts: [{ type: "text", text: line.user }] };
  if ("says" in line) return { role: "assistant", parts: [{ type: "text", text: line.says }] };
  const callId = asToolCallId(line.id);
  if ("calls" in line)
    return { role: "assistant", parts: [{ type: "tool-call", callId, toolName: line.calls, input: line.input }] };
  const content = { type: "text", text: line.result } as const;
  return {
    role: "tool",
    parts: [{ type: "tool-result", result: { toolName: "bash", callId, outcome: "success", content } }],
  };
}

/**
 * Returns a run of this many steps. Each reads its own file and prints some lines; from step 30 on, each also uses a
 * name that was printed 30 steps before.
 */
export function longScript(steps: number, linesPerResult = 20): readonly ScriptedMessage[] {
  const work = Array.from({ length: steps }, (_, step): readonly ScriptedMessage[] => [
    { calls: "read", id: `call_${step}`, input: { path: `src/room_${step}/part_${step}.ts`, find: usedAt(step) } },
    {
      result: `${printedAt(step)}\n${"some more lines of a file that nobody needs\n".repeat(linesPerResult)}`,
      id: `call_${step}`,
    },
  ]);
  return [{ user: "Bring every part to the new interface. Never touch the files in legacy_code." }, ...work.flat()];
}

/** Returns the name that a step's result prints. */
const printedAt = (step: number): string => `handler_${step}_${(step * 7_919) % 10_007}`;

const usedAt = (step: number): string => (step < 30 ? "nothing" : printedAt(step - 30));
