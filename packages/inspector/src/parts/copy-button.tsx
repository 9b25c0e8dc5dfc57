import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface CopyProps {
  readonly text: string;
  /** What is copied, for people who cannot see what is next to the button. */
  readonly what: string;
}

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, what }: CopyProps) {
  const [isDone, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button type="button" class="plain copy" onClick={() => void copy()} aria-label={`Copy ${what}`}>
      <Icon name={isDone ? "done" : "copy"} />
      <span role="status">{isDone ? "Copied" : ""}</span>
    </button>
  );
}

/** A page opened from a file may not be allowed to use the clipboard API. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** A command to be typed or copied. */
export const Command = ({ text, what }: CopyProps) => (
  <div class="command">
    <code>{text}</code>
    <CopyButton text={text} what={what} />
  </div>
);

/** Quotes a word for a POSIX shell: unchanged if it has no special characters, in single quotes otherwise. */
const shellWord = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Returns a command with its placeholders (`{message}`) replaced by words quoted for a shell. A word that would be read
 * as an option goes to the end, after `--`.
 */
export function shellCommand(template: string, words: Readonly<Record<string, string>>): string {
  const operands: string[] = [];
  const command = template.replace(/ \{(\w+)\}/g, (place, name: string) => {
    const word = words[name];
    if (word === undefined) return place;
    if (!word.startsWith("-") || template.includes(" -- ")) return ` ${shellWord(word)}`;
    operands.push(shellWord(word));
    return "";
  });
  return [command, ...(operands.length > 0 ? ["--", ...operands] : [])].join(" ");
}

/**
 * Returns a title without its ellipsis and the cut-off word: only what was actually said can be pinned word for word.
 */
export const firstWords = (title: string): string =>
  title.endsWith("…") ? title.replace(/(?<=\S)\s+\S*…$/, "").replace(/…$/, "") : title;
