/** How our own frames begin. Nothing else inside a frame may look like this at the start of a line. */
const HEADERS = [
  "Context[^\\S\\n]+Summary",
  "Externalized[^\\S\\n]+Content",
  "Rehydrated[^\\S\\n]+Content",
  "Pinned",
  "Pin[^\\S\\n]+lifted",
  "System[^\\S\\n]+notice",
  "Summary[^\\S\\n]+v",
  "End[^\\S\\n]+of",
];

/** What one does not see: white space, marks and format characters, without line ends. Bounded by the next visible sign. */
const INVISIBLE = "[^\\p{L}\\p{N}\\p{P}\\p{S}\\n\\r\\u2028\\u2029]*";

const LOOK_ALIKE = new RegExp(`^(${INVISIBLE})(?=[\\[［]${INVISIBLE}(?:${HEADERS.join("|")}))`, "gimu");

/**
 * Puts a backslash before every line that begins like one of our own headers, so that content inside a frame can neither
 * end it nor open another one. The same text gives the same result; text without such a line is returned as it is.
 */
export function escapeLookAlikes(text: string): string {
  return text.includes("[") || text.includes("［") ? text.replace(LOOK_ALIKE, "$1\\") : text;
}
