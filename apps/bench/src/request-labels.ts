import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenItem } from "@threadfold/core";

/** When a request was done, as judged by a human reader. */
export type RequestEnd =
  | { readonly kind: "done"; readonly at: number }
  /** Not done by the end of the log. */
  | { readonly kind: "never" }
  /** Thanks, a slip, a slash command: nothing was asked for. */
  | { readonly kind: "none" }
  | { readonly kind: "unsure" };

/** The labels of one session: requests by the position of their message in the session. */
export type SessionLabels = ReadonlyMap<number, RequestEnd>;

/** How summaries reported requests, over all folds. */
export interface RequestScore {
  /** Number of requests that the summary of a fold mentions, counted again in every fold. */
  readonly told: number;
  /** Reported as open although they were done within the span of the summary. */
  readonly doneShownOpen: number;
  /** Reported as continuing after the summary although they were done within its span. */
  readonly doneShownGoingOn: number;
  /** Reported as done although they were not done within the span. */
  readonly openShownDone: number;
  /** Reported as requests although nothing was asked for. */
  readonly nothingAsked: number;
}

/** One request in one summary. */
export interface ToldRequest {
  /** The position of the message that makes the request. */
  readonly asked: number;
  /** The position of the last message that the summary covers. */
  readonly until: number;
  readonly status: OpenItem["status"];
}

/** Returns the labels of every session, by the name of its file in the data. */
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

/** Scores what summaries say about requests. */
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

/** Returns the sums of several scores. */
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
