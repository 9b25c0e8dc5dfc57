import { ThreadfoldError } from "@threadfold/core";

/** The golden prompts that the tests of one file asked for. */
export class UsedPrompts {
  readonly #testByFolder = new Map<string, string>();

  get folders(): Iterable<string> {
    return this.#testByFolder.keys();
  }

  /**
   * Notes that a test asked for a folder. The same test may ask again, for it may be retried.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` when another test has the folder: an update would have it say what the last one says.
   */
  take(folder: string, test: string): void {
    const owner = this.#testByFolder.get(folder) ?? test;
    if (owner !== test) {
      throw new ThreadfoldError(
        "INVALID_CONFIG",
        `Two tests keep their golden prompt in ${folder}: ${owner}, ${test}.`,
        {
          hint: "Give each golden prompt a name of its own.",
          details: { folder, tests: [owner, test] },
        },
      );
    }
    this.#testByFolder.set(folder, test);
  }
}
