export { runMain } from "./run-main.ts";
export { runCli } from "./run-cli.ts";
export type { CliIo, CliOutput } from "./output/cli-io.ts";
export type {
  CliArgument,
  CliCall,
  CliCommand,
  CliContext,
  CliOption,
  CliReport,
  CliWarning,
  CommandEntry,
} from "./command/cli-command.ts";
export {
  asCliFailure,
  type CliFailure,
  type Envelope,
  ENVELOPE_SCHEMA_VERSION,
  envelopeOf,
  failureEnvelope,
  serializeEnvelope,
} from "./command/cli-failure.ts";
export { COMMANDS } from "./command-list.ts";
export { EXIT_CODES, EXIT_MEANINGS, EXIT_OF_ERROR, type ExitName } from "./command/exit-codes.ts";
export { keepSource, SOURCE_MEDIA_TYPE } from "./source/import-source.ts";
