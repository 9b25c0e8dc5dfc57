import { ERROR_CODES, type ErrorCode, ThreadfoldError } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { asCliFailure } from "./cli-failure.ts";
import { EXIT_CODES, EXIT_MEANINGS, EXIT_OF_ERROR } from "./exit-codes.ts";

describe("exit codes", () => {
  it("are the ones of the interface", () => {
    expect(EXIT_CODES).toEqual({
      ok: 0,
      failed: 1,
      usage: 2,
      verificationFailed: 3,
      conflict: 4,
      notFound: 5,
      doesNotFit: 6,
      storeUnavailable: 7,
      interrupted: 130,
    });
  });

  it("exist for every error code, and none of them is ok", () => {
    expect(Object.keys(EXIT_OF_ERROR).sort()).toEqual(Object.keys(ERROR_CODES).sort());
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      const failure = asCliFailure(new ThreadfoldError(code, "It failed."));
      expect(failure).toEqual({
        code,
        message: "It failed.",
        hint: ERROR_CODES[code].hint,
        exitCode: EXIT_CODES[EXIT_OF_ERROR[code]],
      });
      expect(failure.exitCode).not.toBe(0);
    }
  });

  it("tell a missing file from one that cannot be read", () => {
    const cause = (code: string) => ({ cause: Object.assign(new Error(code), { code }) });
    expect(asCliFailure(new ThreadfoldError("UNREADABLE_SOURCE", "x", cause("ENOENT"))).exitCode).toBe(5);
    expect(asCliFailure(new ThreadfoldError("UNREADABLE_SOURCE", "x", cause("EACCES"))).exitCode).toBe(1);
    expect(asCliFailure(new ThreadfoldError("UNREADABLE_SOURCE", "x")).exitCode).toBe(1);
  });

  it("call a defect a defect", () => {
    expect(asCliFailure(new TypeError("x is not a function"))).toMatchObject({
      code: "INTERNAL",
      message: "x is not a function",
      exitCode: 1,
    });
    expect(asCliFailure("thrown text")).toMatchObject({ code: "INTERNAL", message: "thrown text" });
  });

  it("are printed in the help, each with its meaning", async () => {
    for (const argv of [["--help"], ["compact", "--help"], ["verify", "-h"]]) {
      const { code, stdout } = await captureRun(argv);
      expect(code).toBe(0);
      for (const [name, exitCode] of Object.entries(EXIT_CODES)) {
        expect(stdout).toContain(`${String(exitCode).padEnd(4)} ${EXIT_MEANINGS[name as keyof typeof EXIT_CODES]}`);
      }
    }
  });
});
