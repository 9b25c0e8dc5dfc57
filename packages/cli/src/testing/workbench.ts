import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { type CaptureOptions, captureRun } from "./captured-io.ts";
import { compactDataSchema, envelopeSchema } from "./envelope-schema.ts";

/** A separate folder for each test of a file, removed when the test ends. */
export class Workbench {
  root = "";

  constructor() {
    beforeEach(() => {
      this.root = mkdtempSync(join(tmpdir(), "threadfold-cli-"));
    });
    afterEach(() => rmSync(this.root, { recursive: true }));
  }

  /** Returns a path in the folder. */
  path(name: string): string {
    return join(this.root, name);
  }

  /** The path of the test's store, once a command has created it. */
  get store(): string {
    return this.path("sessions.db");
  }

  /** Writes a file into the folder and returns its path. */
  file(name: string, content: string | Uint8Array): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }
}

/** Runs a command with `--json` and returns its envelope, which must be the only thing on stdout. */
export async function json(argv: readonly string[], options?: CaptureOptions) {
  const { code, stdout } = await captureRun([...argv, "--json"], options);
  expect(stdout.endsWith("\n")).toBe(true);
  const envelope = envelopeSchema.parse(JSON.parse(stdout));
  return { code, envelope };
}

/** Runs `compact --json` and returns its data as well. */
export async function compact(argv: readonly string[], options?: CaptureOptions) {
  const { code, envelope } = await json(["compact", ...argv], options);
  return { code, envelope, data: compactDataSchema.parse(envelope.data) };
}
