import { describe, expect, it } from "vitest";
import { readSnippets, readTranscript } from "./snippets.mjs";

const page = `# A page

\`\`\`sh
npm install a
\`\`\`

\`\`\`ts
// a.ts
console.log(1);
\`\`\`

It prints:

\`\`\`text
$ node a.ts
1 of …
$ node a.ts
2 (two)
\`\`\`

\`\`\`js
nameless();
\`\`\`
`;

describe("a page's snippets", () => {
  it("come in order, each with its place, programs with their file and with what they print", () => {
    expect(readSnippets(page)).toEqual([
      { language: "sh", code: "npm install a\n", line: 3 },
      {
        ...{ language: "ts", file: "a.ts", line: 7, code: "// a.ts\nconsole.log(1);\n" },
        transcript: "$ node a.ts\n1 of …\n$ node a.ts\n2 (two)\n",
      },
      { language: "js", file: undefined, code: "nameless();\n", line: 21 },
    ]);
  });

  it("print what their transcripts say, where … stands for anything", () => {
    const [first, second] = readTranscript(readSnippets(page)[1].transcript);
    expect([first.command, second.command]).toEqual(["node a.ts", "node a.ts"]);
    expect("1 of 12\nand more").toMatch(first.output);
    expect("2 (two)").toMatch(second.output);
    expect("2 two").not.toMatch(second.output);
    expect("12 (two)").not.toMatch(second.output);
  });
});
