import { ThreadfoldError } from "@threadfold/core";
import type { CliCommand } from "../cli-command.ts";
import { checkRedis } from "../doctor/check-redis.ts";
import { checkRuntime } from "../doctor/check-runtime.ts";
import { checkStore } from "../doctor/check-store.ts";
import { attempted, type CheckStatus, type Checkup } from "../doctor/checkup.ts";
import { count } from "../output/figures.ts";
import type { Page } from "../output/page.ts";
import type { PaintStyle } from "../output/paint.ts";
import { plainText } from "../output/plain-text.ts";
import { STORE_OPTION } from "../parse/common-options.ts";
import { storeAddress } from "../store/store-address.ts";

const COLOURS: Readonly<Record<CheckStatus, PaintStyle>> = {
  ok: "green",
  warning: "yellow",
  failed: "red",
  missing: "dim",
};
const WIDEST_STATUS = 9;

/** `doctor`: says whether this machine can keep a store, and what stands in the way. */
export const doctorCommand: CliCommand = {
  arguments: [],
  options: [
    STORE_OPTION,
    { flags: "--redis <url>", description: "summary cache to try (default: $THREADFOLD_REDIS_URL, else none)" },
  ],
  examples: ["doctor", "doctor --store postgres://app@db.example/agents --redis redis://cache.example --json"],
  async run({ options }, { io }) {
    const named = options["redis"] ?? io.env["THREADFOLD_REDIS_URL"];
    if (named === "") throw new ThreadfoldError("USAGE", "--redis is empty; it must be an address.");
    const checks = [
      ...checkRuntime(),
      ...(await checkStore(storeAddress(options, io.env))),
      ...(typeof named === "string" ? await attempted("redis", () => checkRedis(named)) : []),
    ];
    const failed = checks.filter(({ status }) => status === "failed");
    const report = { data: { checks }, text: (page: Page) => doctorPage(checks, page) };
    const [first] = failed;
    if (first === undefined) return report;
    const message = `${count(failed.length, "check")} failed, the first is ${first.name}: ${first.found}`;
    return { ...report, failure: new ThreadfoldError("STORE_UNAVAILABLE", message, { hint: first.hint }) };
  },
};

function doctorPage(checks: readonly Checkup[], { paint }: Page): string {
  const widest = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, status, found, hint }) => [
      `${paint(COLOURS[status], status.padEnd(WIDEST_STATUS))}${name.padEnd(widest + 2)}${plainText(found)}`,
      ...(hint === "" ? [] : [`${" ".repeat(WIDEST_STATUS + widest + 2)}${plainText(hint)}`]),
    ])
    .join("\n");
}
