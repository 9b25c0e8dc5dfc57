// What a user's bundler makes of the packages for Node: minified, as it is read and compiled, and gzipped, as it is sent to
// where it runs. A limit is a tenth above what it was when somebody last looked; who needs more raises it in the same
// change, so that a review sees it.
const core = "packages/core/dist/index.js";
const renderer = "packages/renderer/dist/index.js";
const threadfold = "packages/threadfold/dist/index.js";

export default [
  minified("@threadfold/core", core, "*", "446 kB"),
  gzipped("@threadfold/core", core, "*", "157 kB"),
  gzipped("@threadfold/core, a thread alone", core, "{ AgentThread }", "43 kB"),
  minified("@threadfold/renderer", renderer, "*", "491 kB"),
  gzipped("@threadfold/renderer", renderer, "*", "161 kB"),
  gzipped("@threadfold/renderer, a request", renderer, "{ renderRequest, anthropicMessages }", "153 kB"),
  minified("threadfold", threadfold, "*", "1134 kB"),
  gzipped("threadfold", threadfold, "*", "384 kB"),
  gzipped("threadfold, a session", threadfold, "{ ContextSession }", "367 kB"),
];

function minified(name, path, names, limit) {
  return { ...bundled(name, path, names, limit), brotli: false };
}

function gzipped(name, path, names, limit) {
  return { ...bundled(name, path, names, limit), gzip: true };
}

function bundled(name, path, names, limit) {
  return { name, path, import: names, limit, entry: ["index"], modifyRolldownConfig: forNode };
}

/**
 * `entry` counts what is loaded at once. What is loaded when somebody asks for it is left out: for the encodings that
 * tokens are counted with, megabytes of tables, the bundler would otherwise work for half a minute an entry.
 */
function forNode(config) {
  return { ...config, platform: "node", external: [/[\\/]encodings[\\/]/, /^tiktoken/] };
}
