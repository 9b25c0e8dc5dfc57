import { asToolCallId } from "@threadfold/core";
import { type CallReading, readCall } from "./call-reading.ts";
import type { Place } from "./place.ts";

/** Text in a user's place that a program wrote: the outcome of a command that an agent gave in plain text. */
const OBSERVATION = /^\s*(?:<returncode>|<output>|<observation>|OBSERVATION:|Observation:|EXECUTION RESULT)/;
const FENCES = ["```bash\n", "```sh\n", "```shell\n"];

export const isObservation = (text: string): boolean => OBSERVATION.test(text);

/** The command of an agent that has no tools and writes what it wants to run into a code block of its answer. */
export function readSpokenCommand(text: string, place: Place): CallReading | null {
  for (const fence of FENCES) {
    const start = text.indexOf(fence);
    const end = start < 0 ? -1 : text.indexOf("\n```", start + fence.length);
    if (end < 0) continue;
    const command = text.slice(start + fence.length, end);
    return readCall(
      { type: "tool-call", callId: asToolCallId("spoken"), toolName: "shell", input: { command } },
      place,
    );
  }
  return null;
}
