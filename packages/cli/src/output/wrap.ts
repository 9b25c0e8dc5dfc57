/** Breaks a text into lines of at most so many columns at its spaces. A word that is wider stands alone on its line. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}
