import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface CopyProps {
  readonly text: string;
  /** What is copied, for those who do not see what stands beside the button. */
  readonly what: string;
}

/** Puts a text into the clipboard, and says so. */
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

/** A page from a disk may not write to the clipboard by the newer way. */
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

/** A command as one types it, to be copied. */
export const Command = ({ text, what }: CopyProps) => (
  <div class="command">
    <code>{text}</code>
    <CopyButton text={text} what={what} />
  </div>
);

/** A word as a POSIX shell takes it: as it is where nothing in it means anything, in single quotes otherwise. */
const shellWord = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/**
 * A command with its places (`{message}`) filled in by words that are quoted for a shell. A word that would be read as an
 * option goes behind the options, where no more are looked for.
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

/** A title up to where a word was cut off, without the mark that it goes on: only what was said can be pinned word for word. */
export const firstWords = (title: string): string =>
  title.endsWith("…") ? title.replace(/(?<=\S)\s+\S*…$/, "").replace(/…$/, "") : title;
