const TAIL = 3_000;
const COUNT = /\b(\d{1,7}) (passed|failed|failing|passing|skipped|errors?|failures?|pending|todo|xfailed|warnings?)\b/g;
const LABELLED = /\b(Tests run|Failures|Errors|Skipped): ?(\d{1,7})/g;
const VERDICT =
  /^(?:ok\s+\S+|FAIL\s+\S+|PASS|test result: \w+|BUILD (?:SUCCESSFUL|FAILED)|BUILD SUCCESS|OK \(\d+ tests?\)|All checks passed!?)/m;

/** What the end of a test run says it came to, such as `12 passed, 1 failed`; null when it says nothing of the kind. */
export function testResult(text: string): string | null {
  const tail = text.slice(-TAIL);
  const counts = new Map<string, string>();
  for (const [, figure, word] of tail.matchAll(COUNT)) counts.set(word as string, figure as string);
  if (counts.size > 0) return [...counts].map(([word, figure]) => `${figure} ${word}`).join(", ");
  const labelled = [...tail.matchAll(LABELLED)].map(
    ([, word, figure]) => `${(word as string).toLowerCase()} ${figure}`,
  );
  if (labelled.length > 0) return labelled.slice(-4).join(", ");
  return VERDICT.exec(tail)?.[0].trim().slice(0, 80).toWellFormed() ?? null;
}
