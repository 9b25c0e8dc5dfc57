// The README's code blocks.

/** Languages whose blocks are run. A `text` block after one of them is a transcript of its output. */
export const PROGRAM_LANGUAGES = ["js", "ts"];

/**
 * Returns every fenced block of a Markdown text, in order. A program names its file in its first line, as a comment; a
 * `text` block that follows a program is its transcript.
 *
 * @returns {{ language: string, code: string, line: number, file?: string, transcript?: string }[]}
 */
export function readSnippets(markdown) {
  const blocks = [...markdown.matchAll(/^```(?<language>\w*)\n(?<code>.*?)^```$/gms)].map(({ index, groups }) => ({
    language: groups.language,
    code: groups.code,
    line: markdown.slice(0, index).split("\n").length,
  }));
  return blocks.flatMap((block, index) => {
    if (block.language === "text") return [];
    if (!PROGRAM_LANGUAGES.includes(block.language)) return [block];
    const next = blocks[index + 1];
    const file = /^\/\/ (?<file>[\w.-]+)\n/.exec(block.code)?.groups.file;
    return [{ ...block, file, ...(next?.language === "text" && { transcript: next.code }) }];
  });
}

/**
 * Parses a transcript: each line that begins with `$ ` is a command, followed by its output, in which `…` stands for
 * anything.
 *
 * @returns {{ command: string, output: RegExp }[]}
 */
export function readTranscript(transcript) {
  return transcript
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command, ...printed] = part.split("\n");
      const pattern = printed.join("\n").trim().split("…").map(escaped).join("[^]*?");
      return { command, output: new RegExp(`^${pattern}$`) };
    });
}

/** Escapes a text for a pattern that matches only that text. The oldest Node does not have `RegExp.escape`. */
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
