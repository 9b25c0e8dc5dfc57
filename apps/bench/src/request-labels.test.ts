import { describe, expect, it } from "vitest";
import { type RequestEnd, readRequestLabels, scoreRequests } from "./request-labels.ts";

const labels = new Map<number, RequestEnd>([
  [0, { kind: "done", at: 4 }],
  [5, { kind: "never" }],
  [7, { kind: "none" }],
  [9, { kind: "unsure" }],
]);

describe("judging what summaries tell of requests", () => {
  it("knows a finished request that is shown as open, and an unfinished one that is shown as done", () => {
    const told = [
      { asked: 0, until: 3, status: "open" },
      { asked: 0, until: 4, status: "open" },
      { asked: 0, until: 6, status: "asked" },
      { asked: 0, until: 6, status: "done" },
      { asked: 5, until: 8, status: "done" },
      { asked: 5, until: 8, status: "lapsed" },
      { asked: 7, until: 8, status: "open" },
      { asked: 9, until: 9, status: "open" },
      { asked: 11, until: 12, status: "open" },
    ] as const;
    expect(scoreRequests(told, labels)).toEqual({
      told: 7,
      doneShownOpen: 1,
      doneShownGoingOn: 1,
      openShownDone: 1,
      nothingAsked: 1,
    });
  });

  it("has more than two hundred requests of six sessions, each done after it was asked", () => {
    const sessions = [...readRequestLabels().values()];
    expect(sessions).toHaveLength(6);
    const judged = sessions.flatMap((session) => [...session]).filter(([, { kind }]) => kind !== "unsure");
    expect(judged.length).toBeGreaterThan(200);
    for (const [asked, end] of judged) if (end.kind === "done") expect(end.at).toBeGreaterThan(asked);
  });
});
