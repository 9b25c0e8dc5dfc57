/**
 * What to do about a broken rule, by its id: for whoever made the request, with or without Threadfold. Formats share
 * ids, so a remedy must be right for all that do.
 */
const REMEDIES = Object.freeze({
  W1: "answer the call directly after its turn, with a failed result if there is none, or remove the call",
  W2: "remove the result, or restore the call that it answers",
  W3: "move the result up to its call, and put what was said in between after it",
  W4: "move the result up to its call, before the next assistant turn",
  W5: "keep one result per call; if a later call reuses the id, give that call and its result another one",
  W6: "put each result after the call whose id it has",
  W7: "answer every call of the batch in the same place, with failed results for those that were cut off",
  W8: "put the result after its call",
  W9: "end on a user turn or on tool results; a summary at the end must be a user turn",
  W10: "begin with a user turn",
  W11: "remove the text, image or document, or the message if nothing else is in it",
  W12: "send thinking back exactly as it came, with its signature, first in its turn and with something after it",
  W13: "remove the thinking from every turn after the first change to the history",
  W14: "answer each call of the turn with one response, no more and no less",
  W15: "send the signature back on the first call of each step, or the provider's sentinel for made-up history",
  W16: "send the reasoning item and what follows it together, or neither; a message or function call may also stay without its id",
  W17: "keep at most four breakpoints; the newest ones matter most",
  W18: "put results first in the user message and text after them",
  W19: "send an object; wrap what is not valid JSON, for instance under _raw",
  "failed-results": "move the image or document after the results, or do not mark the result as failed",
  "server-tools": "send the call and its result as they came, in one turn; remove either one if the other is missing",
  shape: "compare the value at this path with the provider's request type",
  roles: "use the provider's roles; system text goes into its own field",
  "system-places":
    "put the system message behind the newest user message or tool results and before the answer, or its text into the system field",
  messages: "remove the empty message, or give it content",
  contents: "send at least one turn of the user",
  input: "put at least one message of the user into the input",
  "call-id-form": "give the call and its result an id of letters, digits, _ and - that is not too long",
  "call-id-once": "give the later call and its result another id",
  callers: "restore the program that made the call, or send the call without its caller",
  "calls-behind-user": "move the calls into the model's turn before them, or restore the turn that was in between",
  "output-kind":
    "answer each call with its own kind of output: a function_call with a function_call_output, a custom_tool_call with a custom_tool_call_output",
  "item-id-form": "send the item with the id that it came with, or without any",
  "item-id-once": "remove the repetition",
  stateless:
    "send the history itself instead of a reference to it, and reasoning with its encrypted content or not at all",
  thoughts: "send each thought back in the model's own turn, with its signature and otherwise unchanged, or not at all",
  compaction: "send the item back exactly as it came, or send what it replaces instead",
  "tools-declared": "define the tools that the history uses",
  "tool-names":
    "choose a name that every provider accepts: a letter, then at most 63 letters, digits, _ or -; use it in the definition and in every call and response",
  "tool-names-once": "remove the second definition",
  "result-names": "give the result the tool name of the call that it answers",
  "response-references": "send the result as JSON text, or the image or document under the name in the reference",
  "tool-schemas": "give the schema the type object at its top level, and what the tool takes as its properties",
  "one-schema": "keep either parameters or parametersJsonSchema, and remove the other",
  "deferred-tools": "put the cache breakpoint on the last tool that is not deferred, and keep at least one such tool",
  "tool-references": "define the tool, or replace the reference with text",
  "tool-search": "define the tools outright, without a search, or use a model that supports tool search",
  "media-places": "move the image or document into a user message, or replace it with text",
  "media-size": "scale the image down, or replace it with text",
  "part-places": "move the part into a message whose role allows it",
  "thinking-tool-choice": "let the model choose the tool, or use adaptive thinking",
  citations: "turn citations on for all documents or for none",
  "json-mode": "ask for JSON in a message, or ask for a schema instead",
  "beta-features": "request the feature in the anthropic-beta header, or remove what belongs to it",
  "compaction-blocks":
    "send the newest block back exactly as the server returned it, first if it is signed, and nothing from before it",
} satisfies Readonly<Record<string, string>>);

/** Ids of the rules of our formats: none is without a remedy. */
export type RuleId = keyof typeof REMEDIES;

/** Returns advice on fixing a broken rule, as one sentence without its final period; undefined if the rule has none. */
export const remedyFor = (rule: string): string | undefined =>
  Object.hasOwn(REMEDIES, rule) ? REMEDIES[rule as RuleId] : undefined;
