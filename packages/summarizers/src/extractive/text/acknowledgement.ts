const WORDS =
  "yes|yep|yeah|ok|okay|k|sure|thanks?|thank you|thx|great|good|nice|perfect|cool|awesome|lgtm|go|go ahead|continue|proceed|please|do it|next|right|exactly|correct|no|nope|ja|nein|danke|gut|weiter|mach weiter|bitte|super|oui|non|merci|d['’]accord|continuez?|parfait|sí|si|gracias|vale|sigue|continúa|perfecto|是|是的|好|好的|继续|谢谢|可以|对|不";
const ACKNOWLEDGEMENT = new RegExp(`^(?:(?:${WORDS})(?:[\\s.,!。，！]+|$)){1,5}$`, "iu");

/** True for a user's message that asks for nothing new: a thank-you, a yes, a bare slash command. */
export function isAcknowledgement(text: string): boolean {
  const message = text.trim();
  if (message.length > 60) return false;
  return !/[\p{L}\p{N}]/u.test(message) || /^\/[\w:-]*$/.test(message) || ACKNOWLEDGEMENT.test(message);
}
