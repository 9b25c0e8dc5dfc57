export * from "./run-main.ts";
export * from "./run-cli.ts";
export * from "./cli-io.ts";
export * from "./cli-command.ts";
export * from "./cli-failure.ts";
export * from "./command-list.ts";
export * from "./exit-codes.ts";
export * from "./output/envelope.ts";
