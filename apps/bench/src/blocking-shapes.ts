/** Makes a text of this many UTF-16 code units from one repeated kind of content. */
export type Shape = (length: number) => string;

const FILLER = "const value = await store.load(threadId); // reads the thread\n";
const AWS = "AKIAIOSFODNN7EXAMPLE";
const TOKEN = `ghp_${"aB3dE5fG7h".repeat(4).slice(0, 36)}`;

/** Yields pseudorandom numbers, the same each time. */
function* numbers(): Generator<number> {
  for (let state = 42; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

const repeated =
  (unit: string): Shape =>
  (length) =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Pieces that differ from each other, up to the length. */
const varied =
  (piece: (random: () => number, index: number) => string): Shape =>
  (length) => {
    const source = numbers();
    const random = (): number => source.next().value as number;
    const pieces: string[] = [];
    for (let [made, index] = [0, 0]; made < length; index++) {
      const next = piece(random, index);
      pieces.push(next);
      made += next.length;
    }
    return pieces.join("").slice(0, length);
  };

const letters = (alphabet: string, count: number, random: () => number): string =>
  Array.from({ length: count }, () => alphabet[random() % alphabet.length]).join("");

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX = "0123456789abcdef";

/** The kinds of text that users, tools and attackers produce. */
export const shapes: Readonly<Record<string, Shape>> = {
  "base64 on one line": varied((random) => letters(BASE64, 76, random)),
  "base64 in lines": varied((random) => `${letters(BASE64, 76, random)}\n`),
  "base64 of text on one line": repeated(Buffer.from(FILLER).toString("base64")),
  "base64 with secrets": varied(
    (random) => `${Buffer.from(`key ${AWS.slice(0, 12)}${letters("ABCDEFGH", 8, random)} `).toString("base64")} `,
  ),
  "base64 with secrets on one line": repeated(Buffer.from(`token ${TOKEN} and more. `).toString("base64")),
  "hex on one line": varied((random) => letters(HEX, 64, random)),
  "hex dump": varied((random, index) => `${index.toString(16).padStart(8, "0")}  ${letters(HEX, 32, random)}\n`),
  UUIDs: varied((random) => `${letters(HEX, 8, random)}-${letters(HEX, 4, random)}-4${letters(HEX, 3, random)}\n`),
  "sha-256 digests": varied((random) => `${letters(HEX, 64, random)} `),
  "words on one line": repeated("some words that go on and on without a line break "),
  "different words on one line": varied((random) => `${letters("abcdefghijklmnop", 3 + (random() % 8), random)} `),
  "words without spaces": varied((random) => letters("abcdefghijklmnop", 40, random)),
  "one letter": repeated("a"),
  "one capital": repeated("A"),
  "one digit": repeated("7"),
  "line feeds": repeated("\n"),
  "carriage returns and line feeds": repeated("\r\n"),
  spaces: repeated(" "),
  tabs: repeated("\t"),
  "spaces and line feeds": repeated("   \n"),
  "no-break spaces": repeated("\u00a0"),
  "zero-width spaces": repeated("\u200b"),
  "NUL characters": repeated("\0"),
  "lone surrogates": repeated("\ud800"),
  "reversed surrogates": repeated("\udc00\ud800"),
  "brackets, deep": (length) => "[".repeat(length / 2) + "]".repeat(length / 2),
  "braces, open": repeated("{"),
  "parentheses, deep": (length) => "(".repeat(length / 2) + ")".repeat(length / 2),
  "quotes, double": repeated('"'),
  "quotes, single": repeated("'"),
  backticks: repeated("`"),
  backslashes: repeated("\\"),
  "escaped quotes": repeated('\\"'),
  "escaped line feeds": repeated("\\n"),
  slashes: repeated("/"),
  dots: repeated("."),
  dashes: repeated("-"),
  underscores: repeated("_"),
  colons: repeated(":"),
  "at signs": repeated("@"),
  "equals signs": repeated("="),
  pipes: repeated("|"),
  hashes: repeated("#"),
  asterisks: repeated("*"),
  Chinese: repeated("我们必须先检查资料库然后才能继续"),
  "Chinese without a full stop, different": varied((random) => String.fromCharCode(0x4e00 + (random() % 20_000))),
  Japanese: repeated("決して本番環境に触れないでください。"),
  Korean: repeated("절대로 메인에 푸시하지 마세요. "),
  Thai: repeated("ห้ามแก้ไขฐานข้อมูลโดยเด็ดขาด"),
  Arabic: repeated("لا تلمس قاعدة البيانات أبدا "),
  emoji: repeated("👩‍👩‍👧‍👦🎉"),
  "combining marks": repeated("e\u0301\u0323"),
  "combining marks alone": repeated("\u0301\u0323"),
  "the ligature U+FDFA": repeated("\ufdfa"),
  "full-width letters": repeated("ＮＥＶＥＲ "),
  "ANSI colours": repeated("\u001b[31mred\u001b[0m "),
  "JSON, minified": varied((random, index) => `{"id":${index},"name":"${letters(HEX, 8, random)}","ok":true},`),
  "JSON, pretty": varied(
    (random, index) => `  {\n    "id": ${index},\n    "name": "${letters(HEX, 8, random)}"\n  },\n`,
  ),
  "JSON in JSON": repeated('{\\"key\\":\\"value\\"},'),
  "log lines": varied(
    (random, index) => `2026-01-01T00:00:${String(index % 60).padStart(2, "0")}Z INFO request ${random()} took 12ms\n`,
  ),
  "error lines": varied((random) => `Error: ENOENT: no such file '/srv/app/${letters(HEX, 6, random)}.ts'\n`),
  "stack frames": varied(
    (random, index) => `    at load${index} (/srv/app/${letters(HEX, 6, random)}.ts:${index}:7)\n`,
  ),
  URLs: varied((random) => `https://example.org/${letters(HEX, 8, random)}?q=${letters(HEX, 8, random)} `),
  "URLs with passwords": varied((random) => `postgres://me:${letters(HEX, 12, random)}@db.example.org/x `),
  "e-mail addresses": varied((random) => `${letters("abcdefgh", 8, random)}@example.org `),
  "file paths": varied((random) => `packages/core/src/${letters("abcdefgh", 8, random)}.ts\n`),
  "one long path": repeated("folder/"),
  "secrets, one a line": varied((random) => `AKIA${letters("ABCDEFGHIJ234567", 16, random)}\n`),
  "secrets without a break": varied((random) => `AKIA${letters("ABCDEFGHIJ234567", 16, random)}`),
  "anchors of secrets": repeated("ghp_ sk-ant- AKIA xoxb- "),
  "anchors of secrets without a break": repeated("sk-proj-"),
  "private keys begun": repeated("-----BEGIN RSA PRIVATE KEY-----"),
  "private keys begun, with lines": repeated("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n"),
  "authorization headers": repeated("Authorization: Bearer "),
  "passwords in URLs begun": repeated("://a:"),
  "code fences": repeated("```\n"),
  "code fences, open": repeated("```ts\nconst x = 1;\n"),
  "code, ordinary": repeated(FILLER),
  "markdown list": repeated("- item of a list\n"),
  "markdown table": repeated("| a | b |\n|---|---|\n"),
  "markdown headings": repeated("# Heading\n"),
  "block quotes, deep": repeated("> "),
  "never, again and again": repeated("never "),
  "rules, one a line": varied((random) => `Never touch the ${letters("abcdefgh", 6, random)} folder.\n`),
  "rules without a full stop": varied((random) => `you must never touch ${letters("abcdefgh", 6, random)} and `),
  questions: repeated("Why is that so? "),
  "headers of our own frames": repeated("[Context Summary v1]\n"),
  "headers of our own frames, begun": repeated("[ \u200b"),
  "XML tags": repeated("<item>"),
  "HTML comments, open": repeated("<!--"),
  "diff lines": repeated("+added\n-removed\n"),
  "camel case": varied((random) => `${letters("aBcDeFgH", 30, random)} `),
  "snake case on one line": repeated("some_name_"),
  "numbers with commas": repeated("1,234,567 "),
  "shell commands": repeated("cd /srv && npm test -- --run | tail -5; "),
};
