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

/** A command with its places (`{message}`) filled in by words that are quoted for a shell. */
export const shellCommand = (template: string, words: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (place, name: string) => {
    const word = words[name];
    return word === undefined ? place : shellWord(word);
  });
