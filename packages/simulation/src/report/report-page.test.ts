import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { BASELINES } from "../policies/policy-offer.ts";
import { simulate } from "../run/simulate.ts";
import { scriptedSummarizer } from "../summaries/scripted-summarizer.ts";
import { longScript, scriptedSession } from "../testing/scripted-log.ts";
import { reportPage } from "./report-page.ts";

const simulation = await simulate({
  sessions: [{ ...scriptedSession(longScript(50)), name: "logs/</script><img src=x>.jsonl" }],
  policies: BASELINES,
  budgets: [4_000],
  summarizer: scriptedSummarizer("extractive"),
  series: true,
});
const page = reportPage(simulation, { date: "2026-01-01", version: "0.1.0" });

/** What the page's own script does with a document of which only what it touches is there. */
function runPage(): { readonly plots: readonly (readonly unknown[])[]; readonly cells: readonly string[] } {
  const plots: (readonly unknown[])[] = [];
  const cells: string[] = [];
  class Plot {
    constructor(options: { readonly series: readonly unknown[] }, values: readonly unknown[]) {
      expect(values).toHaveLength(options.series.length);
      plots.push(values);
    }
  }
  const elements = new Map<string, object>();
  const element = (id = ""): object => {
    const options: { value: string }[] = [];
    return {
      clientWidth: 800,
      textContent: id === "data" ? (/id="data" type="application\/json">(.*)<\/script>/.exec(page)?.[1] ?? "") : "",
      options,
      append(child: { value?: string; textContent: string }) {
        if (child.value !== undefined) options.push({ value: child.value });
        else if (child.textContent !== "") cells.push(child.textContent);
      },
      replaceChildren: () => options.splice(0),
      addEventListener: () => undefined,
      get value() {
        return options[0]?.value;
      },
      set value(value) {
        if (id === "") Object.defineProperty(this, "value", { value });
      },
    };
  };
  const document = {
    getElementById: (id: string) => elements.get(id) ?? elements.set(id, element(id)).get(id),
    createElement: () => element(),
  };
  const script = page.slice(page.lastIndexOf("<script>") + "<script>".length, page.lastIndexOf("</script>"));
  runInNewContext(script, {
    document,
    uPlot: Plot,
    matchMedia: () => ({ matches: false }),
    addEventListener: () => undefined,
  });
  return { plots, cells };
}

describe("reportPage", () => {
  it("asks for nothing from anywhere", () => {
    expect(page).toContain("default-src 'none'");
    expect(page.match(/<(?:link|img|iframe)\b|<[^>]+\s(?:src|href)=|@import|url\(/g)).toBeNull();
  });

  it("lets no name of a file become markup", () => {
    expect(page).not.toContain("<img src=x>");
    expect(page.match(/<\/script>/g)).toHaveLength(3);
  });

  it("shows every policy's figures and draws the three plots", () => {
    const { plots, cells } = runPage();
    expect(plots).toHaveLength(3);
    for (const { id } of BASELINES) expect(cells).toContain(id);
    const [frontier, tokens, bill] = plots;
    expect(frontier).toHaveLength(1 + BASELINES.length);
    expect(tokens?.[0]).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(bill).toHaveLength(1 + BASELINES.length);
  });
});
