/** One simple command of a shell line: its words without quotes, and the files that its output is redirected to. */
export interface ShellSegment {
  readonly words: readonly string[];
  readonly redirects: readonly string[];
  /** What joins it to the command before it; `;` when it runs in any case. */
  readonly joint: "|" | "&&" | "||" | ";";
}

const JOINTS: Readonly<Record<string, ShellSegment["joint"]>> = { "|": "|", "&&": "&&", "||": "||" };

/** The most of a command that is read, in UTF-16 code units. */
export const MAX_SCANNED = 20_000;

/** Splits a shell command into simple commands. Handles quotes, redirections and here-documents; expands nothing. */
export function readShellCommand(command: string): readonly ShellSegment[] {
  return new ShellReader(command.slice(0, MAX_SCANNED)).read();
}

/** Returns the lines of a shell script, whole with what is quoted or continued, and without here-documents. */
export function shellLines(script: string): readonly string[] {
  const reader = new ShellReader(script.slice(0, MAX_SCANNED));
  reader.read();
  return reader.lines;
}

class ShellReader {
  readonly lines: string[] = [];
  readonly #text: string;
  readonly #segments: ShellSegment[] = [];
  #lineStart = 0;
  #words: string[] = [];
  #redirects: string[] = [];
  #word = "";
  #quoted = false;
  #redirecting = false;
  #joint: ShellSegment["joint"] = ";";
  #hereDocument: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly ShellSegment[] {
    for (let index = 0; index < this.#text.length; index++) index = this.#take(index);
    this.#endSegment();
    this.#endLine(this.#text.length);
    return this.#segments;
  }

  #endLine(end: number): void {
    this.lines.push(this.#text.slice(this.#lineStart, end));
    this.#lineStart = end + 1;
  }

  /** Reads the token that begins at an index and returns the index of its last character. */
  #take(index: number): number {
    const sign = this.#text[index] as string;
    switch (sign) {
      case "'":
      case '"':
        return this.#takeQuoted(index, sign);
      case "\\":
        this.#word += this.#escaped(this.#text[index + 1] ?? "");
        return index + 1;
      case " ":
      case "\t":
        this.#endWord();
        return index;
      case "\n":
        this.#endSegment();
        this.#endLine(index);
        return this.#skipHereDocument(index);
      case ";":
      case "|":
      case "&":
        if (sign === "&" && this.#text[index - 1] === ">") return index;
        this.#endSegment();
        this.#joint = JOINTS[this.#text[index - 1] === sign ? sign + sign : sign] ?? ";";
        return index;
      case ">":
        return this.#takeRedirect(index);
      case "<":
        return this.#takeInput(index);
      case "#":
        if (this.#word === "" && !this.#quoted) return this.#skipComment(index);
        this.#word += sign;
        return index;
      default:
        this.#word += sign;
        return index;
    }
  }

  /** What a backslash and the sign after it stand for. Within a word before a letter it is the slash of Windows. */
  #escaped(sign: string): string {
    if (sign === "\n") return "";
    const isSlash =
      this.#word !== "" && (/\w/.test(sign) || (sign === "." && /\\|^(?:[A-Za-z]:|\.{1,2})$/.test(this.#word)));
    return isSlash ? `\\${sign}` : sign;
  }

  #skipComment(index: number): number {
    const end = this.#text.indexOf("\n", index);
    return (end < 0 ? this.#text.length : end) - 1;
  }

  #takeQuoted(index: number, quote: string): number {
    const end = quote === "'" ? this.#text.indexOf(quote, index + 1) : this.#endOfQuoted(index + 1);
    const stop = end < 0 ? this.#text.length : end;
    this.#word += this.#text.slice(index + 1, stop);
    this.#quoted = true;
    return stop;
  }

  /** Returns the end of a text in double quotes, in which substitutions may hold quotes and here-documents. */
  #endOfQuoted(start: number): number {
    const closing: string[] = [];
    for (let index = start; index < this.#text.length; index++) {
      const sign = this.#text[index] as string;
      const inner = closing.at(-1) === ")";
      if (sign === "\\") index++;
      else if (sign === "(" && (inner || this.#text[index - 1] === "$")) closing.push(")");
      else if (sign === closing.at(-1)) closing.pop();
      else if (sign === '"') {
        if (closing.length === 0) return index;
        closing.push(sign);
      } else if (inner && sign === "<") index = this.#behindHereDocument(index);
    }
    return -1;
  }

  #behindHereDocument(index: number): number {
    const mark = this.#hereDocumentMark(index);
    const end = mark === null ? -1 : this.#text.indexOf(`\n${mark[2]}`, index);
    return mark === null ? index : end < 0 ? this.#text.length : end + (mark[2] as string).length;
  }

  #hereDocumentMark(index: number): RegExpExecArray | null {
    return /^<<-?\s*(['"]?)([\w.-]+)\1/.exec(this.#text.slice(index, index + 80));
  }

  #takeRedirect(index: number): number {
    // The digit of `2>` is not a word.
    if (/^\d$/.test(this.#word)) this.#word = "";
    this.#endWord();
    this.#redirecting = true;
    return this.#text[index + 1] === ">" ? index + 1 : index;
  }

  #takeInput(index: number): number {
    this.#endWord();
    if (this.#text[index + 1] !== "<") return index;
    const mark = this.#hereDocumentMark(index);
    if (mark === null) return index + 1;
    this.#hereDocument = mark[2] as string;
    return index + mark[0].length - 1;
  }

  #skipHereDocument(index: number): number {
    if (this.#hereDocument === null) return index;
    const end = this.#text.indexOf(`\n${this.#hereDocument}`, index);
    const last = end < 0 ? this.#text.length : end + this.#hereDocument.length;
    this.#hereDocument = null;
    this.#lineStart = last + 1;
    return last;
  }

  #endWord(): void {
    if (this.#word !== "" || this.#quoted) (this.#redirecting ? this.#redirects : this.#words).push(this.#word);
    else return;
    this.#word = "";
    this.#quoted = false;
    this.#redirecting = false;
  }

  #endSegment(): void {
    this.#endWord();
    if (this.#words.length > 0 || this.#redirects.length > 0) {
      this.#segments.push({ words: this.#words, redirects: this.#redirects, joint: this.#joint });
      this.#joint = ";";
    }
    this.#words = [];
    this.#redirects = [];
    this.#redirecting = false;
  }
}
