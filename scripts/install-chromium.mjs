// Installs Debian's Chromium where there is none, for the tests of the inspector's page, and says so. Where it may not or
// cannot, it says that, and the tests of the page are skipped by name.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const there = [process.env.THREADFOLD_CHROMIUM ?? "", ...PLACES].find((place) => existsSync(place));
if (there !== undefined) console.log(`Chromium: ${there} is there.`);
else if (!existsSync("/usr/bin/apt-get")) console.log("Chromium: none, and no apt-get to install it with.");
else if (process.getuid?.() !== 0)
  console.log("Chromium: none, and only root may install it: apt-get install chromium.");
else {
  console.log("Chromium: installing Debian's package (apt-get update, apt-get install -y chromium) ...");
  const done = run("update") && run("install", "-y", "--no-install-recommends", "chromium");
  console.log(done ? "Chromium: installed." : "Chromium: it could not be installed.");
}

function run(...words) {
  const { status, stderr } = spawnSync("apt-get", words, {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  if (status !== 0) console.log(stderr.trim().split("\n").slice(-3).join("\n"));
  return status === 0;
}
