import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenItem } from "@threadfold/core";

/** When a request was done, by a person's reading. */
export type RequestEnd =
  | { readonly kind: "done"; readonly at: number }
  /** Not by the end of the log. */
  | { readonly kind: "never" }
  /** Thanks, a slip, a slash command: nothing was asked. */
  | { readonly kind: "none" }
  | { readonly kind: "unsure" };

/** The labels of one session: requests by their place among its messages. */
export type SessionLabels = ReadonlyMap<number, RequestEnd>;

/** How summaries reported requests, over all folds. */
export interface RequestScore {
  /** Requests that a fold's summary mentions, each counted in every fold. */
  readonly told: number;
  /** Reported as open, though they were done within what the summary stands for. */
  readonly doneShownOpen: number;
  /** Reported as continuing behind the summary, though they were done within it. */
  readonly doneShownGoingOn: number;
  /** Reported as done, though they were not done within it. */
  readonly openShownDone: number;
  /** Reported as requests, though nothing was asked. */
  readonly nothingAsked: number;
}

/** One request in one summary. */
export interface ToldRequest {
  /** The place of the message that asks for it. */
  readonly asked: number;
  /** The place of the last message that the summary stands for. */
  readonly until: number;
  readonly status: OpenItem["status"];
}

/** The labels of every session, by the name of its file in the data. */
export function readRequestLabels(): ReadonlyMap<string, SessionLabels> {
  const sessions = new Map<string, Map<number, RequestEnd>>();
  for (const line of readFileSync(join(import.meta.dirname, "../requests/labels.tsv"), "utf8").split("\n")) {
    if (line === "" || line.startsWith("#") || line.startsWith("session\t")) continue;
    const [session = "", asked = "", end = ""] = line.split("\t");
    const labels = sessions.get(session) ?? new Map<number, RequestEnd>();
    labels.set(Number(asked), endOf(end));
    sessions.set(session, labels);
  }
  return sessions;
}

const endOf = (word: string): RequestEnd =>
  word === "never" || word === "none" || word === "unsure" ? { kind: word } : { kind: "done", at: Number(word) };

/** Judges what summaries say of requests. */
export function scoreRequests(told: readonly ToldRequest[], labels: SessionLabels): RequestScore {
  const judged = told.flatMap((one) => {
    const end = labels.get(one.asked);
    return end === undefined || end.kind === "unsure" ? [] : [{ ...one, end }];
  });
  const count = (test: (one: (typeof judged)[number]) => boolean): number => judged.filter(test).length;
  const isDone = ({ end, until }: (typeof judged)[number]): boolean => end.kind === "done" && end.at <= until;
  return {
    told: judged.length,
    doneShownOpen: count((one) => isDone(one) && one.status === "open"),
    doneShownGoingOn: count((one) => isDone(one) && one.status === "asked"),
    openShownDone: count((one) => one.end.kind !== "none" && !isDone(one) && one.status === "done"),
    nothingAsked: count(({ end, status }) => end.kind === "none" && (status === "open" || status === "asked")),
  };
}

/** The sums of several scores. */
export function totalOf(scores: readonly RequestScore[]): RequestScore {
  const sum = (key: keyof RequestScore): number => scores.reduce((total, score) => total + score[key], 0);
  return {
    told: sum("told"),
    doneShownOpen: sum("doneShownOpen"),
    doneShownGoingOn: sum("doneShownGoingOn"),
    openShownDone: sum("openShownDone"),
    nothingAsked: sum("nothingAsked"),
  };
}
