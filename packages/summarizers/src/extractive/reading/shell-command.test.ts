import { describe, expect, it } from "vitest";
import { notableCommand } from "./shell-command.ts";

describe("notable commands", () => {
  it.each([
    ["npm test 2>&1 | tail -20", "npm test"],
    ["cd packages/a && npx vitest run; ls", "npx vitest run"],
    ["FOO=1 make all", "make all"],
    ['git commit -m "it\'s done" && git push', "git commit -m it's done && git push"],
    ["git status && git diff", null],
    ["python -c 'print(1)'", null],
    ["node --version", null],
    ["grep -rn npm .", null],
    ["OUT=$(python bench/run.py)", null],
    ["(cd x; cargo build)", "cargo build"],
    ["mise run test 2>&1 | head -100", "mise run test"],
    ["for i in 1 2 3; do ./bench.sh; done", "./bench.sh"],
    ["bash verify.sh 2>&1", "bash verify.sh"],
    ["bash -c 'ls'", null],
    ["git stash && npm test 2>&1 | tail -20; git stash pop", "git stash && npm test && git stash pop"],
    ["python3 << 'EOF'\nimport os\nEOF", null],
    [
      "git commit -m 'Tune the configs for input/output: deeper pipelines for large batches'",
      "git commit -m Tune the configs for input/output: deeper pipelines for large batches",
    ],
    ["git stash && git checkout main && git apply --check a.diff; git stash pop", null],
    ["/workspace/build/bin/ponyc test.pony && /bin/ls", "/workspace/build/bin/ponyc test.pony"],
    ["git stash list && git tag -l", null],
    [
      "rm -f /tmp/debug.txt\npytest testing/test_collection.py -x\ncat /tmp/debug.txt",
      "pytest testing/test_collection.py -x",
    ],
    ["cat <<'EOF' > issue.py\nmake = 1\nnpm = 2\nEOF\npython issue.py", "python issue.py"],
    [`set -e\ncd /repo && \\\n  git add -A && \\\n  git commit -m 'Faster' || true`, "git commit -m Faster"],
    [
      `git commit -m "$(cat <<'EOF'\nFix the "cart"\n\nmake it work; npm test\nEOF\n)" && git push`,
      "git commit -m Fix the 'cart'… && git push",
    ],
    [`git commit -m "Faster\n\n- make \\"match\\" direct\nmake it iterative"`, "git commit -m Faster…"],
    [`python - <<'EOF'\nprint("make it")\nmake it\nEOF`, null],
    [`node -e "\nconsole.log(\\"x\\")\nmake()\n"`, null],
    ["python /home/somebody/projects/worktrees/a-very-long-name-of-a-folder/bench/run.py", "python /…/bench/run.py"],
    [
      "pytest testing/a_long_name_of_a_folder/another_long_name_of_a_folder/test_collection.py -x",
      "pytest testing/a_long_name_of_a_folder/another_long_name_of_a_folder/test_collection.py -x",
    ],
    ["curl -s localhost:3000/health | python3 -m json.tool", null],
    ["yes | npm init && cat schema.sql | psql -d shop", "npm init && psql -d shop"],
    ["cat in.txt | python solve.py || true", "python solve.py"],
    ["false || python -m pytest", "python -m pytest"],
    ["javac Main.java && java -cp . Main", "javac Main.java && java -cp . Main"],
    ["java -version; g++ --version", null],
    ["perl -pi -e 's/a/b/' a.pl; ruby -ne 'print' a.rb; perl -0777ne 1 x", null],
    ["perl -Ilib t/a.t && Rscript fit.R", "perl -Ilib t/a.t && Rscript fit.R"],
    ["aws s3 ls && gcloud run services describe shop", null],
    ["aws s3 sync out s3://shop && npx prisma migrate dev", "aws s3 sync out s3://shop && npx prisma migrate dev"],
  ])("%s: %s", (command, expected) => expect(notableCommand(command)).toBe(expected));
});
