/** A word as a POSIX shell takes it: as it is where nothing in it means anything, in single quotes otherwise. */
const shellWord = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A command with its places (`{message}`) filled in by words that are quoted for a shell. */
export const shellCommand = (template: string, words: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (place, name: string) => {
    const word = words[name];
    return word === undefined ? place : shellWord(word);
  });
