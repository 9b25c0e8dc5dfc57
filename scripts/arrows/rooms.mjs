// The rooms of the house as data: which package may import which, and in which order the folders of each stand.

const CORE = ["core"];
const ROOMS = ["tokenizers", "strategies", "summarizers", "renderer", "rehydration", "stores", "importers"];
const ON_TOP = [...CORE, ...ROOMS, "session"];

/** What each package may import, by folder name under packages/. A new package needs its line here. */
export const PACKAGE_ARROWS = {
  core: [],
  ...Object.fromEntries(ROOMS.map((room) => [room, CORE])),
  session: [...CORE, ...ROOMS],
  integrations: ON_TOP,
  golden: ON_TOP,
  simulation: ON_TOP,
  cli: [...ON_TOP, "integrations", "simulation"],
  threadfold: [...ON_TOP, "cli"],
};

/** What every app may import. Nothing imports an app. */
export const APPS_IMPORT = Object.keys(PACKAGE_ARROWS);

/**
 * The folders of each package's src, in order: each imports only from those before it and from itself. Files that lie
 * directly in src come last. A package that is not here has no folders, or is not in order yet.
 */
export const FOLDER_ORDER = {
  core: [
    "steps",
    "errors",
    "json",
    "model",
    "thread",
    "groups",
    "pins",
    "budget",
    "summary",
    "plan",
    "view",
    "events",
    "ports",
    "laws",
  ],
};

/** The only packages that core may depend on. */
export const CORE_DEPENDENCIES = ["zod", "immer", "@noble/hashes", "snowball-stemmers"];

/** Names that a pure core file may not refer to, each with what it stands for. */
export const IMPURE_NAMES = {
  process: "the host",
  globalThis: "the host",
  global: "the host",
  window: "the host",
  self: "the host",
  navigator: "the host",
  console: "output",
  fetch: "the network",
  WebSocket: "the network",
  XMLHttpRequest: "the network",
  crypto: "randomness",
  performance: "the clock",
  Temporal: "the clock",
  setTimeout: "a timer",
  setInterval: "a timer",
  setImmediate: "a timer",
  queueMicrotask: "a timer",
  require: "the host",
  Buffer: "node:buffer",
  Intl: "the machine's locale",
};

/** Methods whose answer depends on the machine's locale or time zone, so that two machines would write other bytes. */
export const LOCALE_METHODS = [
  "localeCompare",
  "toLocaleString",
  "toLocaleDateString",
  "toLocaleTimeString",
  "toLocaleLowerCase",
  "toLocaleUpperCase",
  "getTimezoneOffset",
];

/** Files of core that may refer to an impure name, and why. An exception that is no longer needed is an error too. */
export const EXCEPTIONS = [
  {
    file: "packages/core/src/ports/recall-terms.ts",
    name: "Intl",
    reason:
      "divides text without spaces for search alone, in no locale; nothing that is kept or rendered depends on it (docs/decisions/0030)",
  },
  {
    file: "packages/core/src/ports/event-loop-turns.ts",
    name: "globalThis",
    reason:
      "lets the machine's event loop turn during long work; when others run says nothing of what comes out (docs/decisions/0027)",
  },
  {
    file: "packages/core/src/json/sha256.ts",
    name: "globalThis",
    reason: "detects the platform's SHA-256; the digest is the same with and without it (docs/decisions/0001)",
  },
  {
    file: "packages/core/src/json/running-sha256.ts",
    name: "globalThis",
    reason: "detects the platform's SHA-256 for running hashes, as sha256.ts does for whole texts",
  },
];
