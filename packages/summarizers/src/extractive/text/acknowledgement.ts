/** What asks the agent to go on with what it is at. */
const GO_ON =
  "go|go ahead|go on|continue|proceed|please|do it|next|weiter|mach weiter|bitte|continuez?|sigue|continúa|继续";
const YES =
  "yes|yep|yeah|ok|okay|k|sure|right|exactly|correct|alright|all right|sounds good|ja|oui|d['’]accord|sí|si|vale|是|是的|好|好的|可以|对";
const NO = "no|nope|nein|non|不";
const PRAISE =
  "thanks?|thank you|thx|a lot|so much|very much|great|good|nice|perfect|cool|awesome|super|excellent|brilliant|lgtm|looks good|to me|that works|it works|works now|works|well done|nice work|good job|great job|got it|danke|gut|merci|parfait|gracias|perfecto|谢谢";

const only = (words: string, times: string): RegExp =>
  new RegExp(`^(?:(?:${words})(?:[\\s.,!。，！]+|$))${times}$`, "iu");
const ACKNOWLEDGEMENT = only(`${GO_ON}|${YES}|${NO}|${PRAISE}`, "{1,5}");
const ASKS_TO_GO_ON = only(`${YES}|${GO_ON}`, "{1,5}");
const SAYS_YES = only(YES, "{1,5}");

/** True for a user's message that asks for nothing new: a thank-you, a yes, a bare slash command. */
export function isAcknowledgement(text: string): boolean {
  const message = text.trim();
  if (message.length > 60) return false;
  return !/[\p{L}\p{N}]/u.test(message) || isSlashCommand(message) || ACKNOWLEDGEMENT.test(message);
}

/** True for a command to the harness, which says nothing to the agent. */
export const isSlashCommand = (text: string): boolean => /^\/[\w:-]*$/.test(text.trim());

/** True for an acknowledgement that has the agent go on: always when it says so, and a mere yes when the agent had asked. */
export function asksToGoOn(text: string, hadAsked: boolean): boolean {
  const message = text.trim();
  return ASKS_TO_GO_ON.test(message) && (hadAsked || !SAYS_YES.test(message));
}
