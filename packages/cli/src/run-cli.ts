import { type CliReport, THREADFOLD_VERSION } from "./command/cli-command.ts";
import {
  asCliFailure,
  type CliFailure,
  envelopeOf,
  failureEnvelope,
  serializeEnvelope,
} from "./command/cli-failure.ts";
import { EXIT_CODES } from "./command/exit-codes.ts";
import type { CliIo } from "./output/cli-io.ts";
import { type Page, pageOf, plainJson, plainText } from "./output/page.ts";
import { type CliWishes, type ParsedCall, parseCall } from "./parse-call.ts";
import { progressFor } from "./progress/progress.ts";

/** Maximum number of warnings that are printed; further ones are only counted. `--json` has all of them. */
const MOST_WARNINGS = 10;

/**
 * Runs the command that a command line requests and prints its result.
 *
 * @param argv the command line without `node` and the script's name.
 * @returns the exit code; see {@link EXIT_CODES}. Nothing is thrown.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const wishes = wishesOf(argv);
  try {
    const parsed = await parseCall(argv, THREADFOLD_VERSION);
    if (parsed.type === "run") return await runCommand(parsed, io);
    const data = parsed.type === "help" ? { help: parsed.text } : { version: parsed.text.trim() };
    io.stdout.write(wishes.json ? serializeEnvelope(envelopeOf({ data, text: () => parsed.text })) : parsed.text);
    return EXIT_CODES.ok;
  } catch (thrown) {
    return printFailure(asCliFailure(thrown), thrown, wishes, io);
  }
}

async function runCommand({ command, call, wishes }: ParsedCall & { type: "run" }, io: CliIo): Promise<number> {
  const progress = progressFor(io, wishes);
  try {
    const report = await command.run(call, { io, progress });
    progress.stop();
    return printReport(report, { ...wishes, ndjson: call.options["ndjson"] === true }, io);
  } catch (thrown) {
    progress.stop();
    return printFailure(asCliFailure(thrown), thrown, wishes, io);
  }
}

function printReport(report: CliReport, wishes: CliWishes & { readonly ndjson: boolean }, io: CliIo): number {
  if (wishes.json) io.stdout.write(serializeEnvelope(envelopeOf(report)));
  else {
    const text = wishes.ndjson && report.items !== undefined ? linesOf(report.items) : textOf(report, wishes, io);
    if (text !== "") io.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
    if (!wishes.quiet) printMessages(report, pageOf(io.stderr, io.env, wishes.color), io);
  }
  if (report.failure === undefined) return report.exitCode ?? EXIT_CODES.ok;
  const failure = asCliFailure(report.failure);
  if (!wishes.json) printError(failure, wishes, io);
  return failure.exitCode;
}

const linesOf = (items: readonly unknown[]): string => items.map((item) => plainJson(JSON.stringify(item))).join("\n");

const textOf = ({ text, brief }: CliReport, { quiet, color }: CliWishes, { stdout, env }: CliIo): string =>
  quiet && brief !== undefined ? brief : text(pageOf(stdout, env, color));

function printMessages({ warnings = [], notes = [] }: CliReport, page: Page, io: CliIo): void {
  for (const { message } of warnings.slice(0, MOST_WARNINGS)) {
    io.stderr.write(`${page.paint("yellow", "warning:")} ${plainText(message)}\n`);
  }
  const more = warnings.length - MOST_WARNINGS;
  if (more > 0) io.stderr.write(`${page.paint("yellow", "warning:")} and ${more} more; --json prints them all\n`);
  for (const note of notes) io.stderr.write(`${plainText(note)}\n`);
}

function printFailure(failure: CliFailure, thrown: unknown, wishes: CliWishes, io: CliIo): number {
  if (wishes.json) io.stdout.write(serializeEnvelope(failureEnvelope(failure)));
  else printError(failure, wishes, io);
  if ((io.env["THREADFOLD_DEBUG"] ?? "") !== "" && thrown instanceof Error)
    io.stderr.write(`${plainText(String(thrown.stack))}\n`);
  return failure.exitCode;
}

function printError({ code, message, hint }: CliFailure, wishes: CliWishes, io: CliIo): void {
  const { paint } = pageOf(io.stderr, io.env, wishes.color);
  io.stderr.write(`${paint("red", "error:")} ${plainText(message)} ${paint("dim", `(${code})`)}\n`);
  if (hint !== "") io.stderr.write(`${paint("bold", "hint:")} ${plainText(hint)}\n`);
}

/** Returns the output options, even when the rest of the command line cannot be parsed. */
function wishesOf(argv: readonly string[]): CliWishes {
  const end = argv.indexOf("--");
  const options = new Set(end === -1 ? argv : argv.slice(0, end));
  return { json: options.has("--json"), quiet: options.has("--quiet"), color: !options.has("--no-color") };
}
