/**
 * Replaces `node:child_process` in the bundled command. commander imports it to start subcommands that are separate
 * programs; the command has none, and loading the real module takes longer than reading the command line.
 */
const childProcess: object = Object.freeze({});

// biome-ignore lint/style/noDefaultExport: commander imports the default export.
export default childProcess;
