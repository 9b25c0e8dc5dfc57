import { sharedFolderOf } from "@threadfold/core";

/** The paths of the files that a span touched, and the folder that most of them share. */
export class SpanPaths {
  readonly #paths: Set<string>;
  #folder: string | undefined;

  /** @param known paths of the summary before. */
  constructor(known: Iterable<string>) {
    this.#paths = new Set(known);
  }

  note(path: string): void {
    this.#paths.add(path);
    this.#folder = undefined;
  }

  /** With a slash at its end; empty when they share none. */
  get folder(): string {
    this.#folder ??= sharedFolderOf(this.#paths);
    return this.#folder;
  }

  /** A text in which paths leave the shared folder out. Which folder that is may change with the next fold. */
  shortened(text: string): string {
    const { folder } = this;
    return folder === "" ? text : text.replaceAll(folder, "…");
  }
}
