/** What to do about a broken rule, by its id: for whoever made the request, with or without Threadfold. */
const REMEDIES: Readonly<Record<string, string>> = Object.freeze({
  W1: "answer the call directly behind its turn, with a failed result if there is none, or take the call out",
  W2: "take the result out, or put the call back that it answers",
  W3: "move the result up to its call, and what was said behind it",
  W4: "move the result up to its call, before the next assistant turn",
  W5: "keep one result per call; if a later call reuses the id, give that call and its result another one",
  W6: "put each result behind the call whose id it has",
  W7: "answer every call of the batch in the same place, with failed results for those that were cut off",
  W8: "put the result behind its call",
  W9: "end on a user turn or on tool results; a summary at the end must be a user turn",
  W10: "begin with a user turn",
  W11: "take the text out, or the message if nothing else is in it",
  W12: "send thinking back exactly as it came, with its signature, first in its turn and with something behind it",
  W13: "take the thinking out of every turn behind the first change of the history",
  W14: "answer each call of the turn with one response, no more and no less",
  W15: "send the signature back on the first call of each step, or the provider's sentinel for made-up history",
  W16: "send the reasoning item and the item that follows it together, or neither",
  W17: "keep at most four breakpoints; the newest ones matter most",
  W18: "put results first in the user message and text behind them",
  W19: "send an object; wrap what was no valid JSON, for instance under _raw",
  shape: "compare the place with the provider's request type",
  roles: "use the provider's roles; system text goes into its own field",
  messages: "take the empty message out, or give it content",
  "call-id-form": "give the call and its result an id of letters, digits, _ and - that is not too long",
  "call-id-once": "give the later call and its result another id",
  "tools-declared": "define the tools that the history uses",
  "tool-names": "use letters, digits, _ and - in the definition and in every call alike",
  "tool-names-once": "take the second definition out",
  "media-places": "move the picture or document into a user message, or put a text in its place",
  "part-places": "move the part into a message of a role that may hold it",
  "compaction-blocks": "send the block back exactly as the server gave it",
});

/** What to do about a broken rule, in one sentence without its end; undefined for a rule that has no advice of its own. */
export const remedyFor = (rule: string): string | undefined =>
  Object.hasOwn(REMEDIES, rule) ? REMEDIES[rule] : undefined;
