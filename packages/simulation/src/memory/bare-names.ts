/** So many names in a row, with nothing but separators between them, are a bare list. */
const FEWEST = 4;
/** A file or command may be followed by so many names that belong to it. */
const OWNED = 10;
/** What code, paths and identifiers look like and plain words do not. */
const NAME = /[A-Za-z0-9][_./:@#-][A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|_|^\d+$/;
const SEPARATORS = /[\s,;·•|`"'()[\]]+/;
/** A line that begins with a name and says that what follows belongs to it. */
const OWNER = /^[\s\-*•\d.]*`?([^\s`:(]+)`?\s*(?:[:(→]|—|->)/;

/**
 * Characters of a text that are names in a bare list: four or more in one line with nothing but separators between them.
 * A name among words says what it belongs to, and so do up to ten names behind the one file or command that a line
 * begins with.
 */
export function bareNameCharacters(text: string): number {
  return text.split("\n").reduce((sum, line) => sum + bareInLine(line), 0);
}

function bareInLine(line: string): number {
  const allowed = NAME.test(OWNER.exec(line)?.[1] ?? "") ? OWNED : 0;
  let bare = 0;
  let run: string[] = [];
  const close = (): void => {
    if (run.length >= FEWEST) bare += run.slice(allowed).reduce((sum, name) => sum + name.length + 1, 0);
    run = [];
  };
  for (const word of line.split(SEPARATORS)) {
    if (word === "" || word === "-") continue;
    if (NAME.test(word.replace(/[.:]$/, ""))) run.push(word);
    else close();
  }
  close();
  return bare;
}
