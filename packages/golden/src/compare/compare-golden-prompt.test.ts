import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GoldenPolicy } from "../options/golden-options.ts";
import { type GoldenPrompt, renderGoldenPrompt } from "../render/render-golden-prompt.ts";
import { sampleMessages } from "../testing/sample-messages.ts";
import { compareGoldenPrompt, type GoldenMode, goldenMode, isAccepted } from "./compare-golden-prompt.ts";
import { describeComparison } from "./describe-comparison.ts";
import { obsoleteGoldenPrompts, removeGoldenPrompts } from "./golden-folder.ts";

describe("the mode of golden prompts", () => {
  it.each([
    [{}, "new", "new"],
    [{}, "all", "update"],
    [{}, "none", "check"],
    [{ THREADFOLD_UPDATE_GOLDENS: "1" }, "new", "update"],
    [{ THREADFOLD_UPDATE_GOLDENS: "0" }, "new", "new"],
    [{ CI: "true" }, "new", "check"],
    [{ CI: "1", THREADFOLD_UPDATE_GOLDENS: "1" }, "all", "check"],
    [{ CI: "false" }, "all", "update"],
  ] as const)("of %j with snapshots %s is %s", (environment, runner, mode) => {
    expect(goldenMode(environment, runner)).toBe(mode);
  });
});

const messages = sampleMessages(20, { run: "a1b2c3d4", startMs: Date.UTC(2026, 10, 22) });
const promptOf = (policy: GoldenPolicy = {}) =>
  renderGoldenPrompt({ messages, config: { maxInputTokens: 6_000 }, ...policy });

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "golden-"));
});
afterEach(() => rm(root, { recursive: true }));

const compare = (prompt: GoldenPrompt, mode: GoldenMode, name = "case") =>
  compareGoldenPrompt(prompt, { folder: join(root, name), mode });

describe("comparing a golden prompt", () => {
  it("writes a new one, finds it equal from then on, and also after a checkout with other line ends", async () => {
    const prompt = await promptOf();
    expect((await compare(prompt, "new")).kind).toBe("written");
    for (const mode of ["check", "new", "update"] as const) expect((await compare(prompt, mode)).kind).toBe("equal");
    const page = join(root, "case/prompt.md");
    await writeFile(page, (await readFile(page, "utf8")).replaceAll("\n", "\r\n"));
    expect((await compare(prompt, "check")).kind).toBe("equal");
  });

  it("finds a prompt equal to what it wrote, whatever line ends and control characters are in it", async () => {
    const text = "a\r\nb\rc\u0000d\u001b[31me\u007ff\tg\u2028h\u202ei";
    const prompt = await renderGoldenPrompt({
      messages: [{ ...(messages[0] as (typeof messages)[number]), parts: [{ type: "text", text }] }],
    });
    await compare(prompt, "new");
    expect(await compare(prompt, "check")).toMatchObject({ kind: "equal", differences: [] });
    const page = await readFile(join(root, "case/prompt.md"), "utf8");
    // Git shows a file with a zero byte as binary.
    expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202e]/);
    expect(page).toContain("a\u240d\nb\u240dc\u2400d\u241b[31me\u2421f\tg");
  });

  it("writes nothing where it may only check, and says how to", async () => {
    const comparison = await compare(await promptOf(), "check");
    expect(comparison.kind).toBe("missing");
    expect(await readdir(root)).toEqual([]);
    const text = describeComparison(comparison, { command: "vitest -u", environment: { CI: "true" } });
    expect(text).toContain("There is no golden prompt in ");
    expect(text).toContain("To write it, run `vitest -u` on your own machine and commit the files");
  });

  it("says where the prompt diverges, what that costs, which files differ, and leaves them", async () => {
    await compare(await promptOf({ formats: ["anthropic-messages", "openai-chat"] }), "new");
    const tighter = await promptOf({ config: { maxInputTokens: 4_000 }, formats: ["anthropic-messages", "gemini"] });
    const comparison = await compare(tighter, "new");
    expect(comparison).toMatchObject({ kind: "different" });
    expect(isAccepted(comparison)).toBe(false);
    const text = describeComparison(comparison, { environment: {} });
    expect(text).toMatch(
      /\ndiverged at message 1: summary of turns 1-\d+ \S.*\ncosts (\d+) of \1 cached tokens: writing/,
    );
    expect(text).toMatch(/ {2}prompt\.md changed, first on line 3:\n {4}- \d+ tokens: .*\n {4}\+ \d+ tokens: /);
    expect(text).toContain(
      'made with other options: "config": { "maxInputTokens": 6000 } became "config": { "maxInputTokens": 4000 }.\n',
    );
    expect(text).toContain("  gemini.json is missing");
    expect(text).toContain("  openai-chat.json is obsolete");
    expect(text).toContain("To accept it, run `THREADFOLD_UPDATE_GOLDENS=1 <your test command>`.");
    expect((await compare(tighter, "check")).kind).toBe("different");
  });

  it("replaces, adds and removes files in an update, and leaves what is not its own", async () => {
    await compare(await promptOf({ formats: ["anthropic-messages", "openai-chat"] }), "new");
    await writeFile(join(root, "case/notes.txt"), "mine");
    const other = await promptOf({ config: { maxInputTokens: 4_000 }, formats: ["anthropic-messages", "gemini"] });
    expect(await compare(other, "update")).toMatchObject({ kind: "updated", divergence: { message: 1 } });
    expect((await readdir(join(root, "case"))).sort()).toEqual(["notes.txt", ...[...other.files.keys()].sort()].sort());
    expect((await compare(other, "check")).kind).toBe("equal");
  });

  it("adds files that are merely missing", async () => {
    await compare(await promptOf(), "new");
    const more = await promptOf({ payloads: "digests" });
    expect((await compare(more, "check")).kind).toBe("different");
    await rm(join(root, "case/prompt.md"));
    expect((await compare(await promptOf(), "new")).kind).toBe("written");
  });

  it("compares without an explanation where a merge has damaged the messages", async () => {
    const prompt = await promptOf();
    await compare(prompt, "new");
    await writeFile(join(root, "case/messages.json"), "<<<<<<< HEAD");
    await writeFile(join(root, "case/prompt.md"), "<<<<<<< HEAD\n");
    const comparison = await compare(prompt, "check");
    expect(comparison).toMatchObject({ kind: "different", divergence: null });
    const text = describeComparison(comparison);
    expect(text).toContain("messages.json changed, first on line 1");
    expect(text).toContain("Where the prompt diverges is unknown: messages.json has an unresolved merge conflict.");
    expect(text).not.toContain("nothing cached is lost");
  });

  it("finds golden prompts that nobody asked for, and removes them", async () => {
    const prompt = await promptOf();
    for (const name of ["used", "left/one", "left/two"]) await compare(prompt, "new", name);
    const obsolete = await obsoleteGoldenPrompts(root, [join(root, "used")]);
    expect(obsolete).toEqual(["left/one", "left/two"]);
    await removeGoldenPrompts(root, obsolete);
    expect(await obsoleteGoldenPrompts(root, [])).toEqual(["used"]);
    expect(await obsoleteGoldenPrompts(join(root, "nowhere"), [])).toEqual([]);
  });

  it.each([
    ["no prompt", "INVALID_CONFIG", () => compareGoldenPrompt({} as GoldenPrompt, { folder: root })],
    ["no options", "INVALID_CONFIG", async () => compareGoldenPrompt(await promptOf(), undefined as never)],
    ["no folder", "INVALID_CONFIG", async () => compareGoldenPrompt(await promptOf(), { folder: "" })],
    ["an unknown mode", "INVALID_CONFIG", async () => compare(await promptOf(), "all" as GoldenMode)],
    [
      "a folder that is a file",
      "UNREADABLE_SOURCE",
      async () => {
        await writeFile(join(root, "case"), "");
        return compare(await promptOf(), "new");
      },
    ],
    [
      "a folder that cannot be made",
      "OUTPUT_UNWRITABLE",
      async () => {
        await symlink(join(root, "nowhere/deep"), join(root, "case"));
        return compare(await promptOf(), "new");
      },
    ],
  ])("refuses %s", async (_what, code, call) => {
    await expect(call()).rejects.toMatchObject({ name: "ThreadfoldError", code });
  });

  it.skipIf(!existsSync("/proc/self"))("says at once where no folder can be made, and why", async () => {
    const folder = "/proc/nowhere/deep";
    await expect(compareGoldenPrompt(await promptOf(), { folder, mode: "new" })).rejects.toMatchObject({
      code: "OUTPUT_UNWRITABLE",
      message: expect.stringMatching(/\/proc\/nowhere\/deep cannot be written: ENOENT\.$/),
    });
  });
});
