import { ThreadfoldError } from "@threadfold/core";
import { type ReplayedRequest, replayThread } from "@threadfold/session";
import type { CliCommand } from "../command/cli-command.ts";
import { count, type Page, plainText } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { storedThread } from "../store/stored-thread.ts";

/** `replay`: renders every recorded request again from the log and the plans alone, and compares the bytes. */
export const replayCommand: CliCommand = {
  arguments: [{ name: "threadId", description: "id of the thread whose requests are rendered again" }],
  options: [STORE_OPTION],
  examples: ["replay my-thread --store sessions.db", "replay my-thread --store sessions.db --json"],
  run({ arguments: [threadId = ""], options }, { io }) {
    return readingStore(options, io.env, async (store) => {
      const thread = await storedThread(store, threadId);
      const requests = await replayThread(store, thread.id);
      const expired = requests.filter(({ expiredAt }) => expiredAt !== null);
      const different = requests.filter(({ equal, expiredAt }) => !equal && expiredAt === null);
      const equal = requests.length - different.length - expired.length;
      const report = {
        data: { threadId: thread.id, requests, equal, different: different.length, expired: expired.length },
        text: (page: Page) => replayPage(requests, page),
      };
      const [first] = different;
      if (first === undefined) return report;
      const why = first.problem?.replace(/\.$/, "");
      const message = `${different.length} of ${count(requests.length, "request")} cannot be reproduced; the first is record ${first.sequence}: ${why}.`;
      return { ...report, failure: new ThreadfoldError("REPLAY_MISMATCH", message) };
    });
  },
};

function replayPage(requests: readonly ReplayedRequest[], { paint }: Page): string {
  if (requests.length === 0) return "No request was recorded for this thread.";
  const lines = requests.map((request) => `${outcomeOf(request, paint)}  ${plainText(describe(request))}`);
  const equal = requests.filter((request) => request.equal).length;
  return [...lines, `${equal} of ${count(requests.length, "request")} reproduced byte for byte.`].join("\n");
}

function outcomeOf({ equal, expiredAt }: ReplayedRequest, paint: Page["paint"]): string {
  if (expiredAt !== null) return paint("yellow", "expired");
  return equal ? paint("green", "same") : paint("red", "DIFF");
}

function describe({ sequence, threadVersion, planVersion, format, recordedDigest, problem }: ReplayedRequest): string {
  const what = `record ${sequence}: ${format}, plan ${planVersion}, ${threadVersion} entries, sha256 ${recordedDigest.slice(0, 12)}`;
  return problem === null ? what : `${what}: ${problem}`;
}
