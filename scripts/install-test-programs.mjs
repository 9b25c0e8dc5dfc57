// Installs, from Debian's packages, the programs that some tests need and that a machine may lack, and prints what it
// did: a browser for the inspector's page, shells for command-line completion. If it may not or cannot install them, it
// says so, and those tests are skipped by name.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PROGRAMS = [
  {
    name: "chromium",
    places: [
      process.env.THREADFOLD_CHROMIUM ?? "",
      ...["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
    ],
  },
  { name: "zsh", places: ["/usr/bin/zsh", "/bin/zsh"] },
  { name: "fish", places: ["/usr/bin/fish", "/bin/fish"] },
];

const missing = PROGRAMS.filter(({ name, places }) => {
  const there = places.find((place) => existsSync(place));
  if (there !== undefined) console.log(`${name}: found at ${there}.`);
  return there === undefined;
}).map(({ name }) => name);

if (missing.length > 0) {
  const command = `apt-get install -y --no-install-recommends ${missing.join(" ")}`;
  if (!existsSync("/usr/bin/apt-get"))
    console.log(`${missing.join(", ")}: missing, and there is no apt-get to install them with.`);
  else if (process.getuid?.() !== 0) console.log(`${missing.join(", ")}: missing, and only root may run ${command}.`);
  else {
    console.log(`${missing.join(", ")}: installing Debian's packages (apt-get update, ${command}) ...`);
    const done = run("update") && run(...command.split(" ").slice(1));
    console.log(done ? `${missing.join(", ")}: installed.` : `${missing.join(", ")}: could not be installed.`);
  }
}

function run(...words) {
  const { status, stderr } = spawnSync("apt-get", words, {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  if (status !== 0) console.log(stderr.trim().split("\n").slice(-3).join("\n"));
  return status === 0;
}
