/** One simple command of a shell line: its words without quotes, and the files that its output goes to. */
export interface ShellSegment {
  readonly words: readonly string[];
  readonly redirects: readonly string[];
}

/** Longer commands carry data in their tail. In UTF-16 code units. */
const MAX_SCANNED = 4_000;

/** Splits a shell command into its simple commands. Understands quotes, redirections and here-documents; expands nothing. */
export function readShellCommand(command: string): readonly ShellSegment[] {
  return new ShellReader(command.slice(0, MAX_SCANNED)).read();
}

class ShellReader {
  readonly #text: string;
  readonly #segments: ShellSegment[] = [];
  #words: string[] = [];
  #redirects: string[] = [];
  #word = "";
  #quoted = false;
  #redirecting = false;
  #hereDocument: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly ShellSegment[] {
    for (let index = 0; index < this.#text.length; index++) index = this.#take(index);
    this.#endSegment();
    return this.#segments;
  }

  /** Takes what begins at an index and gives the index of its last character. */
  #take(index: number): number {
    const sign = this.#text[index] as string;
    switch (sign) {
      case "'":
      case '"':
        return this.#takeQuoted(index, sign);
      case "\\":
        this.#word += this.#text[index + 1] === "\n" ? "" : (this.#text[index + 1] ?? "");
        return index + 1;
      case " ":
      case "\t":
        this.#endWord();
        return index;
      case "\n":
        this.#endSegment();
        return this.#skipHereDocument(index);
      case ";":
      case "|":
      case "&":
        if (sign === "&" && this.#text[index - 1] === ">") return index;
        this.#endSegment();
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

  #skipComment(index: number): number {
    const end = this.#text.indexOf("\n", index);
    return (end < 0 ? this.#text.length : end) - 1;
  }

  #takeQuoted(index: number, quote: string): number {
    const end = this.#text.indexOf(quote, index + 1);
    const stop = end < 0 ? this.#text.length : end;
    this.#word += this.#text.slice(index + 1, stop);
    this.#quoted = true;
    return stop;
  }

  #takeRedirect(index: number): number {
    // The digit of `2>` is no word.
    if (/^\d$/.test(this.#word)) this.#word = "";
    this.#endWord();
    this.#redirecting = true;
    return this.#text[index + 1] === ">" ? index + 1 : index;
  }

  #takeInput(index: number): number {
    this.#endWord();
    if (this.#text[index + 1] !== "<") return index;
    const mark = /^<<-?\s*(['"]?)([\w.-]+)\1/.exec(this.#text.slice(index, index + 80));
    if (mark === null) return index + 1;
    this.#hereDocument = mark[2] as string;
    return index + mark[0].length - 1;
  }

  #skipHereDocument(index: number): number {
    if (this.#hereDocument === null) return index;
    const end = this.#text.indexOf(`\n${this.#hereDocument}`, index);
    const length = this.#hereDocument.length;
    this.#hereDocument = null;
    return end < 0 ? this.#text.length : end + length;
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
      this.#segments.push({ words: this.#words, redirects: this.#redirects });
    }
    this.#words = [];
    this.#redirects = [];
    this.#redirecting = false;
  }
}
