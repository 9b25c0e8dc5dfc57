import type { PreparedRequest } from "@threadfold/session";
import type { GoldenPromptOptions } from "../golden-options.ts";
import type { GoldenPrompt } from "../golden-prompt.ts";
import { goldenConversation } from "../source/golden-conversation.ts";
import { maskConversation } from "../source/mask-conversation.ts";
import { promptTrace } from "../trace/prompt-trace.ts";
import { goldenFiles } from "./golden-files.ts";
import { resolvePolicy } from "./golden-policy.ts";
import { optionsRecord } from "./options-record.ts";
import { prepareGolden } from "./prepare-golden.ts";

/**
 * Renders a conversation under a policy as golden files: what is volatile is masked, the clock stands still, and equal
 * input gives equal bytes on every machine. Nothing is written.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` and `USAGE` for options that make no sense, `EMPTY_SOURCE` without a message,
 * `INVALID_MESSAGE` for a message that is none, `ILLEGAL_REQUEST` and `PIN_MISSING` for a prompt that must not be sent,
 * and what reading a recorded session throws.
 */
export async function renderGoldenPrompt(options: GoldenPromptOptions): Promise<GoldenPrompt> {
  const original = await goldenConversation(options);
  const policy = await resolvePolicy(options);
  const conversation = maskConversation(original, policy.mask, new Date(policy.now).toISOString());
  const [format, ...others] = policy.formats;
  const first = await prepareGolden(conversation, policy, format);
  const rest: PreparedRequest[] = [];
  if (policy.payloads !== "none") {
    for (const other of others) rest.push(await prepareGolden(conversation, policy, other));
  }
  const trace = promptTrace(first);
  const record = optionsRecord(policy, conversation.frame, conversation.entries.length);
  return { files: goldenFiles([first, ...rest], trace, record, policy.payloads), trace, prepared: first };
}
