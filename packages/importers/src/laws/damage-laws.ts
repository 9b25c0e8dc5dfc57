import { ThreadfoldError } from "@threadfold/core";
import { importSession } from "../import-session.ts";
import { type BrokenLaw, type ImporterSample, sessionLaws } from "./importer-laws.ts";

/** Ways to damage a log, as they happen: writers that died, concatenated files, editors, bad disks. */
const DAMAGES: Readonly<Record<string, (text: string) => string>> = {
  "cut off after a third": (text) => text.slice(0, Math.floor(text.length / 3)),
  "cut off near the end": (text) => text.slice(0, -20),
  "begun in the middle": (text) => text.slice(Math.floor(text.length / 2)),
  "one line lost": (text) => withLines(text, (lines, middle) => lines.toSpliced(middle, 1)),
  "two lines run together": (text) =>
    withLines(text, (lines, middle) => lines.toSpliced(middle, 2, `${lines[middle] ?? ""}${lines[middle + 1] ?? ""}`)),
  "one line twice": (text) => withLines(text, (lines, middle) => lines.toSpliced(middle, 0, lines[middle] ?? "")),
  "lines shuffled": (text) => withLines(text, (lines) => lines.toReversed()),
  "records of other kinds between": (text) =>
    withLines(text, (lines) => lines.flatMap((line) => [line, '{"type":7}', "[1]", "null"])),
  "carriage returns": (text) => text.replaceAll("\n", "\r\n"),
  "every role is unknown": (text) => text.replaceAll('"role"', '"rôle"'),
  "every id is the same": (text) => text.replaceAll(/"(id|uuid)":\s*"[^"]{1,64}"/g, '"$1":"same"'),
  "a lone surrogate in every text": (text) => text.replaceAll('"text":"', '"text":"\\ud800'),
};

/**
 * Damages a log in many ways and imports what is left of it. Each import must end in a session that keeps the laws, or
 * in a typed error: never in another one, and never in silence about what was lost.
 */
export async function damageLaws({ bytes, format }: ImporterSample): Promise<readonly BrokenLaw[]> {
  const text = new TextDecoder().decode(bytes);
  const broken: BrokenLaw[] = [];
  for (const [damage, inflict] of Object.entries(DAMAGES)) {
    const remains = new TextEncoder().encode(inflict(text));
    for (const asked of ["auto", format] as const) {
      broken.push(
        ...(await lawsBrokenBy(remains, asked)).map(({ law, detail }) => ({ law, detail: `${damage}: ${detail}` })),
      );
    }
  }
  return broken;
}

async function lawsBrokenBy(
  bytes: Uint8Array,
  format: ImporterSample["format"] | "auto",
): Promise<readonly BrokenLaw[]> {
  try {
    return sessionLaws(await importSession(bytes, { format }));
  } catch (error) {
    return ThreadfoldError.isInstance(error)
      ? []
      : [{ law: "an import fails with a typed error or not at all", detail: String(error) }];
  }
}

function withLines(text: string, change: (lines: readonly string[], middle: number) => readonly string[]): string {
  const lines = text.split("\n");
  return change(lines, Math.floor(lines.length / 2)).join("\n");
}
