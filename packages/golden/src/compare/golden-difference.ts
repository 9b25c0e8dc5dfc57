/** One file that is not what the prompt makes of it. */
export type GoldenDifference =
  | { readonly kind: "missing"; readonly file: string }
  /** A file of an earlier golden prompt that this one no longer has. */
  | { readonly kind: "obsolete"; readonly file: string }
  | {
      readonly kind: "changed";
      readonly file: string;
      /** First line that differs, from 1. */
      readonly line: number;
      /** What stood there, and what would stand there; null behind the end of the file. */
      readonly before: string | null;
      readonly after: string | null;
    };

/** Compares the files of a prompt with those that are kept, in the order of the prompt's files. */
export function goldenDifferences(
  kept: ReadonlyMap<string, string>,
  current: ReadonlyMap<string, string>,
): readonly GoldenDifference[] {
  const differing = [...current].flatMap(([file, after]): readonly GoldenDifference[] => {
    const before = kept.get(file);
    if (before === undefined) return [{ kind: "missing", file }];
    return before === after ? [] : [{ kind: "changed", file, ...firstDifference(before, after) }];
  });
  const obsolete = [...kept.keys()].filter((file) => !current.has(file));
  return [...differing, ...obsolete.map((file): GoldenDifference => ({ kind: "obsolete", file }))];
}

function firstDifference(before: string, after: string) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let index = 0;
  while (index < old.length && old[index] === now[index]) index++;
  return { line: index + 1, before: old[index] ?? null, after: now[index] ?? null };
}
