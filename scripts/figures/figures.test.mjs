import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../workspaces.mjs";
import { MEASURED_FIGURES, saySideBySide, saySpeed } from "./figures.mjs";

const figureOf = (bench) => MEASURED_FIGURES.find(({ run }) => run.split(" ")[0] === bench);
const said = (bench, output) => figureOf(bench).say(figureOf(bench).read(output));

describe("the figures", () => {
  it("come from commands that take options and print nothing else", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const { run } of MEASURED_FIGURES) expect(scripts[run.split(" ")[0]], run).toMatch(/--silent .* --$/);
  });

  it("of the agents are read from their table, hosts without recorded requests among them", () => {
    const table = `host           calls  illegal  over  norule  faults  folds  cache  median   p99  first  last  replayed
ai-sdk-7        1000        0     0       0      29     12  91.6%    1.20  9.10   1.00  1.30  1029/1029
openai-agents   1000        1     0       0      29     12  88.2%    1.20  9.10   1.00  1.30  1028/1029
pi              1000        0     0       0      29     12  95.7%       -     -      -     -          -
a host: something did not hold
`;
    expect(figureOf("agents").read(table)).toEqual({
      ...{ hosts: 3, calls: 1000, illegal: 1, overBudget: 0, withoutRule: 0, unlike: 1 },
      ...{ leastCached: 88.2, mostCached: 95.7 },
    });
    expect(said("agents", table)).toContain("except in 1 host, every request");
  });

  it("of the matrix are read from the line that sums it up", () => {
    const output =
      "18960 runs over 79 sessions: 18959 hold, 1 fail.\nFolding ended with: 18900 committed, 60 infeasible.\n";
    expect(said("matrix:wire", output)).toMatch(/79 sessions, 18,960 runs, 18,959 of which pass: .*\(60\)/);
  });

  it("of benches are read from their JSON", () => {
    const resume = '{"messages":1000,"firstMs":50}\n{"messages":1000000,"firstMs":51,"megabytes":37.6}\n';
    expect(said("bench:resume", resume)).toMatch(/1,000,000 messages .* takes 1.02 times .* 38 MB/);
    const append =
      '{"messages":1000,"share":0.84}\n{"messages":9000,"share":0.78}\n{"spread":0.12,"lowestShare":0.78}\n';
    expect(said("bench:append", append)).toMatch(/78 % to 84 % .* no more than 12 % up to 9,000 messages/);
    expect(said("bench:probes", '{"facts":103,"direct":89,"reachable":103}')).toMatch(/103 facts .* 100 % .* 86 %/);
  });

  it("of policies are those of the default preset in each budget's table", () => {
    const page = `2 recorded sessions of real agents, 1,234 model calls, replayed.

### 9,000 tokens, 2 sessions

| policy |  | bill | cold | all+1 | breaks | bad | fit |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
| threadfold | preset | 0.555 | 98.0 | 100.0 | 0.7 | 0 | 100.0 |
| other | peer | 0.100 | 1.0 | 2.0 | 9 | 7 | 50.0 |

### 5,000 tokens, 2 sessions

| policy |  | bill | cold | all+1 | breaks | bad | fit |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
| threadfold | preset | 0.444 | 92.2 | 99.9 | 1.6 | 0 | 100.0 |
`;
    const { brief, whole } = saySideBySide(page);
    expect(brief).toContain("the bill is 0.56 / 0.44 at budgets of 9,000 / 5,000 tokens");
    expect(brief).toContain(" 1 policies of other libraries");
    expect(whole).toContain("98 / 92 % is in the prompt;");
    expect(whole).toContain("had seen before, 100.0 / 99.9 % is in the prompt or in the result");
  });

  it("of speed are the prompt of the longest history and the turns of all threads", () => {
    const page = `| policy | 1,000, ms | 100,000, ms | exponent | exponent |
| --- | ---: | ---: | ---: | ---: |
| threadfold | 16.0 (7.91 to 28.8) | 2167 (2147 to 2516) | 1.07 | 1.34 |

| messages in the thread | ms per turn |
| --- | ---: |
| 1,000 | 0.34 |
| 1,000,000 | 0.20 |
`;
    expect(saySpeed(page)).toBe(
      "Making one prompt of 60,000 tokens from a history of 100,000 messages takes 2.2 s; a session's turn takes 0.20 to 0.34 ms with 1,000 to 1,000,000 messages.",
    );
  });
});
