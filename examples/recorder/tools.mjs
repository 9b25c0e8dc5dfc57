// The agent's tools. Each does its real work in the working copy and returns `{ text, isError }`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Maximum number of characters of a result, as with real agents; the cut is marked in the text. */
const LONGEST_RESULT = 50_000;

/** Returns one function per tool name, all bound to one working copy. */
export function toolsIn(copy) {
  const at = (path) => join(copy.path, path);
  return {
    read({ path, offset = 1, limit }) {
      if (!existsSync(at(path))) return failure(`ENOENT: no such file or directory, open '${path}'`);
      const lines = readFileSync(at(path), "utf8").split("\n");
      return success(cut(lines.slice(offset - 1, limit && offset - 1 + limit).join("\n")));
    },
    bash: ({ command }) => run(copy, ["bash", "-c", `exec 2>&1; ${command}`]),
    grep: ({ pattern, path }) =>
      run(copy, ["grep", "-rnE", "--exclude-dir=node_modules", "--exclude-dir=dist", "--", pattern, path]),
    ls: ({ path }) => run(copy, ["ls", "-1p", path]),
    write({ path, content }) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
      return success(`Successfully wrote ${Buffer.byteLength(content)} bytes to ${path}`);
    },
    edit({ path, oldText, newText }) {
      const text = readFileSync(at(path), "utf8");
      const found = text.split(oldText).length - 1;
      if (found !== 1) return failure(`oldText occurs ${found} times in ${path}; it must occur exactly once.`);
      writeFileSync(
        at(path),
        text.replace(oldText, () => newText),
      );
      return success(`Successfully replaced ${oldText.length} characters by ${newText.length} in ${path}.`);
    },
  };
}

function run(copy, [command, ...args]) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: copy.path,
    env: copy.environment,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (error) return failure(error.message);
  const output = cut(copy.neutral(stdout + stderr).trimEnd());
  return status === 0
    ? success(output || "(no output)")
    : failure(`${output}\n\nCommand exited with code ${status}`.trimStart());
}

function cut(text) {
  if (text.length <= LONGEST_RESULT) return text;
  return `${text.slice(0, LONGEST_RESULT)}\n\n[Cut after ${LONGEST_RESULT} of ${text.length} characters.]`;
}

const success = (text) => ({ text, isError: false });

const failure = (text) => ({ text, isError: true });
