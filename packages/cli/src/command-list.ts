import type { CommandEntry } from "./command/cli-command.ts";

/** Every command, in the order of the help. A new one is a file in `commands/` and a line here. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "compact",
    summary: "fold a recorded session to fit a budget and render the request",
    load: async () => (await import("./commands/compact.ts")).compactCommand,
  },
  {
    name: "plan",
    summary: "say what compact would do, what it costs and what goes out of sight; store nothing",
    load: async () => (await import("./commands/plan.ts")).planCommand,
  },
  {
    name: "simulate",
    summary: "replay recorded sessions under presets and budgets; say what each costs and forgets",
    load: async () => (await import("./commands/simulate.ts")).simulateCommand,
  },
  {
    name: "inspect",
    summary: "show what the model saw at each call, why, what it cost and that it is true, as a page",
    load: async () => (await import("./commands/inspect.ts")).inspectCommand,
  },
  {
    name: "context",
    summary: "say what the model saw at a call, for terminals, hooks and status lines",
    load: async () => (await import("./commands/context.ts")).contextCommand,
  },
  {
    name: "import",
    summary: "put a recorded session into a store",
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  {
    name: "threads",
    summary: "list the threads of a store",
    load: async () => (await import("./commands/threads.ts")).threadsCommand,
  },
  {
    name: "title",
    summary: "give a thread a title of its own",
    load: async () => (await import("./commands/title.ts")).titleCommand,
  },
  {
    name: "plans",
    summary: "list the plans of a thread",
    load: async () => (await import("./commands/plans.ts")).plansCommand,
  },
  {
    name: "render",
    summary: "print the request under a plan",
    load: async () => (await import("./commands/render.ts")).renderCommand,
  },
  {
    name: "explain",
    summary: "say why a message is, or is not, in the prompt, and show its text",
    load: async () => (await import("./commands/explain.ts")).explainCommand,
  },
  {
    name: "search",
    summary: "find passages of a thread by their words, folded or not",
    load: async () => (await import("./commands/search.ts")).searchCommand,
  },
  {
    name: "export",
    summary: "write a folded thread as a session file that pi or Claude Code opens",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  {
    name: "handoff",
    summary: "begin a fresh thread with what a goal needs of another one",
    load: async () => (await import("./commands/handoff.ts")).handoffCommand,
  },
  {
    name: "fork",
    summary: "make a thread of its own from the beginning of another one",
    load: async () => (await import("./commands/fork.ts")).forkCommand,
  },
  {
    name: "revert",
    summary: "let an earlier plan of a thread hold again",
    load: async () => (await import("./commands/revert.ts")).revertCommand,
  },
  {
    name: "pin",
    summary: "make a text stay in every request of a thread, or lift one that does",
    load: async () => (await import("./commands/pin.ts")).pinCommand,
  },
  {
    name: "diff",
    summary: "show what changed from one plan to another",
    load: async () => (await import("./commands/diff.ts")).diffCommand,
  },
  {
    name: "replay",
    summary: "render every recorded request again and compare the bytes",
    load: async () => (await import("./commands/replay.ts")).replayCommand,
  },
  {
    name: "bill",
    summary: "say what a thread's calls cost, what the prompt cache missed and why",
    load: async () => (await import("./commands/bill.ts")).billCommand,
  },
  {
    name: "costs",
    summary: "say what all threads of a store took and cost, by day, thread or model",
    load: async () => (await import("./commands/costs.ts")).costsCommand,
  },
  {
    name: "verify",
    summary: "check that what the store holds is intact",
    load: async () => (await import("./commands/verify.ts")).verifyCommand,
  },
  {
    name: "init",
    summary: "find the host of a project and write the program that folds for it",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  {
    name: "doctor",
    summary: "say whether this machine, its disk and its servers can keep a store",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  {
    name: "audit",
    summary: "write a thread's whole record to one file, check such a file, or make a checkpoint",
    load: async () => (await import("./commands/audit.ts")).auditCommand,
  },
  {
    name: "archive",
    summary: "move a thread, or all that are old, out of the store into sealed segments",
    load: async () => (await import("./commands/archive.ts")).archiveCommand,
  },
  {
    name: "unarchive",
    summary: "put an archived thread back into the store",
    load: async () => (await import("./commands/archive.ts")).unarchiveCommand,
  },
  {
    name: "erase",
    summary: "erase a thread's content for good; what proves that it was there stays",
    load: async () => (await import("./commands/erase.ts")).eraseCommand,
  },
  {
    name: "lint",
    summary: "check a request of any tool against a provider's rules",
    load: async () => (await import("./commands/lint.ts")).lintCommand,
  },
  {
    name: "mcp",
    summary: "serve what is folded to an MCP client, over stdio or HTTP on the loopback",
    load: async () => (await import("./commands/mcp.ts")).mcpCommand,
  },
  {
    name: "run",
    summary: "run an agent that cannot be changed, and fold what it sends to its provider",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  {
    name: "proxy",
    summary: "stand between agents and their providers, and fold what they send",
    load: async () => (await import("./commands/proxy.ts")).proxyCommand,
  },
  {
    name: "completion",
    summary: "print the script that has bash, zsh or fish complete these commands",
    load: async () => (await import("./commands/completion.ts")).completionCommand(COMMANDS),
  },
  {
    name: "presets",
    summary: "list the presets and their parameters",
    load: async () => (await import("./commands/presets.ts")).presetsCommand,
  },
  {
    name: "models",
    summary: "list what is known of models: windows, caps, prices, and since when",
    load: async () => (await import("./commands/models.ts")).modelsCommand,
  },
];
