import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Drivers, loadDriver } from "./on-demand.ts";

/** A package that is installed nowhere but where a test puts it. */
const NAME = "threadfold-test-driver" as keyof Drivers;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-driver-"));
  vi.spyOn(process, "cwd").mockReturnValue(folder);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function install(source: string): void {
  const place = join(folder, "node_modules", NAME);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "index.js"), source);
}

describe("loading a driver", () => {
  it("returns the same package as an import", () => {
    expect(loadDriver("pg").Pool).toBe(pg.Pool);
  });

  it("finds the driver in the project when Threadfold's code lies elsewhere, as in a bundle", () => {
    install("module.exports = { found: true };");
    expect(loadDriver(NAME)).toEqual({ found: true });
  });

  it("names the command that installs a missing driver", () => {
    expect(() => loadDriver(NAME)).toThrow(
      expect.objectContaining({
        code: "INVALID_CONFIG",
        message: `The package ${NAME} is needed for this address.`,
        hint: expect.stringContaining(`npm install ${NAME}`),
      }),
    );
  });

  it("passes on any other failure of the driver's package", () => {
    install('require("something-it-lacks");');
    expect(() => loadDriver(NAME)).toThrow(/something-it-lacks/);
  });
});
