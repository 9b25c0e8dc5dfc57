/** A test or suite of vitest, as far as it matters here. */
export interface RanTask {
  readonly mode: string;
  readonly result?: { readonly state?: string } | undefined;
  readonly tasks?: readonly RanTask[];
}

/** True when every test below a task ran and passed, so that a golden prompt nobody asked for is really obsolete. */
export const didAllRun = ({ mode, result, tasks }: RanTask): boolean =>
  tasks === undefined ? mode !== "skip" && mode !== "todo" && result?.state === "pass" : tasks.every(didAllRun);
