import { generateKeyPairSync } from "node:crypto";
import { asThreadId, type Summarizer } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { ContextSession } from "@threadfold/session";
import { openStore } from "@threadfold/stores";
import { expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

const messages = Array.from({ length: 12 }, (_, index) =>
  message(
    `m${index}`,
    index % 2 === 0 ? "user" : "assistant",
    `Part ${index} of the shop. ${"More of it. ".repeat(60)}`,
  ),
);

/** Folds a thread with a summarizer that notes a request as the words of a message. */
async function foldWith(description: string): Promise<void> {
  const summarizer: Summarizer = {
    id: "own@1",
    summarize: async ({ span }) => ({
      changes: [
        {
          ...{ op: "add", section: "openItems" },
          item: {
            ...{ description, context: "", priority: "high", status: "open", kind: "request" },
            sources: span.messageIds.slice(0, 1),
          },
        },
      ],
    }),
  };
  const store = await openStore(bench.store);
  const session = await ContextSession.open({
    ...{ threadId: asThreadId("shop"), store, summarizer },
    config: { maxInputTokens: 2_000, preserveRecentTurns: 1 },
  });
  await session.append(messages);
  expect((await session.compact({ force: true })).type).toBe("committed");
  await session.close();
}

it("verify lists what a summary says as a user's word and no message bears out, and calls the store intact", async () => {
  await foldWith("Delete the shop.");
  const { code, envelope } = await json(["verify", "--store", bench.store]);
  expect(code).toBe(0);
  expect(envelope.data).toMatchObject({
    findings: [],
    unsourced: [{ threadId: "shop", planVersion: 1, section: "openItems", text: "Delete the shop.", sources: ["m0"] }],
  });
  const { stdout } = await captureRun(["verify", "shop", "--store", bench.store]);
  expect(stdout).toMatch(/^intact: 1 thread.*\nunsourced: 1 item /);
  expect(stdout).toContain("shop, plan 1, openItems: Delete the shop.");
});

it("verify names the file that is no checkpoint, or no key", async () => {
  const text = bench.file("notes.txt", "hello");
  const refused = async (option: string) => (await json(["verify", option, text])).envelope.error;
  expect(await refused("--since")).toMatchObject({
    code: "INVALID_JSON",
    message: `${text}, which --since names: The text is not a checkpoint.`,
    hint: expect.stringContaining("checkpoint was made"),
  });
  expect(await refused("--public-key")).toMatchObject({
    code: "INVALID_CONFIG",
    message: `${text}, which --public-key names: The key cannot be read.`,
    hint: expect.stringContaining("Ed25519"),
  });
});

it("verify refuses a key without a checkpoint: no signature would be checked", async () => {
  const pem = generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" });
  const key = bench.file("key.pem", pem.toString());
  expect(await json(["verify", "--public-key", key])).toMatchObject({
    code: 2,
    envelope: { error: { code: "USAGE", message: expect.stringMatching(/^--public-key is given without --since/) } },
  });
});

it("verify says nothing of what a user did say", async () => {
  await foldWith("Part 0 of the shop.");
  expect((await json(["verify", "--store", bench.store])).envelope.data).toMatchObject({ unsourced: [] });
  expect((await captureRun(["verify", "--store", bench.store])).stdout).not.toContain("unsourced");
});

it("verify calls a store intact in which a folded thread was erased", async () => {
  await foldWith("Delete the shop.");
  expect((await json(["erase", "shop", "--yes", "--store", bench.store])).code).toBe(0);
  expect(await json(["verify", "--store", bench.store])).toMatchObject({
    code: 0,
    envelope: { data: { threads: ["shop"], findings: [], unsourced: [] } },
  });
  expect((await captureRun(["verify", "shop", "--store", bench.store])).stdout).toMatch(/^intact: 1 thread/);
});
