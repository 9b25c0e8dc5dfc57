export { runMain } from "./run-main.ts";
export { runCli } from "./run-cli.ts";
export type { CliIo, CliOutput } from "./cli-io.ts";
export type { CliArgument, CliCall, CliCommand, CliContext, CliOption, CliReport, CliWarning } from "./cli-command.ts";
export { asCliFailure, type CliFailure } from "./cli-failure.ts";
export { type CommandEntry, COMMANDS } from "./command-list.ts";
export { EXIT_CODES, EXIT_MEANINGS, EXIT_OF_ERROR, type ExitName } from "./exit-codes.ts";
export {
  type Envelope,
  ENVELOPE_SCHEMA_VERSION,
  envelopeOf,
  failureEnvelope,
  serializeEnvelope,
} from "./output/envelope.ts";
export { keepSource, SOURCE_MEDIA_TYPE } from "./store/keep-source.ts";
