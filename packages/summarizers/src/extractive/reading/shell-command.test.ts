import { describe, expect, it } from "vitest";
import { shellFileActions } from "./file-actions.ts";
import { notableCommand, onlyShows } from "./shell-command.ts";

describe("notable commands", () => {
  it.each([
    ["npm test 2>&1 | tail -20", "npm test"],
    ["cd packages/a && npx vitest run; ls", "npx vitest run"],
    ["FOO=1 make all", "make all"],
    ['git commit -m "it\'s done" && git push', "git commit -m it's done && git push"],
    ["git status && git diff", null],
    // What runs in any case does not look as if it needed the success of what stands before it.
    ["npm run lint; npm run docs", "npm run lint; npm run docs"],
    ["npm run lint\nnpm run docs", "npm run lint; npm run docs"],
    ["npm run lint &&\n  npm run docs", "npm run lint && npm run docs"],
    ["make fast || make slow", "make fast || make slow"],
    ["make all 2>&1 | tail -3; ls && make docs", "make all; make docs"],
    ["make all | tail -3 && cat a.log && make docs", "make all && make docs"],
    ["make all & make docs", "make all; make docs"],
    ["pytest -q | ./report.sh --short", "pytest -q | ./report.sh --short"],
    ["python -c 'print(1)'", null],
    ["node --version", null],
    ["grep -rn npm .", null],
    ["OUT=$(python bench/run.py)", null],
    ["(cd x; cargo build)", "cargo build"],
    ["mise run test 2>&1 | head -100", "mise run test"],
    ["for i in 1 2 3; do ./bench.sh; done", "./bench.sh"],
    ["bash verify.sh 2>&1", "bash verify.sh"],
    ["bash -c 'ls'", null],
    ["pytest -v tests/test_cart.py", "pytest -v tests/test_cart.py"],
    ["pytest -n 4", "pytest -n 4"],
    ["tox -e py311; rspec -e total", "tox -e py311; rspec -e total"],
    ["pytest --version; tox -l; nox --list; pytest --collect-only -q", null],
    ["git stash && npm test 2>&1 | tail -20; git stash pop", "git stash && npm test; git stash pop"],
    ["python3 << 'EOF'\nimport os\nEOF", null],
    ["/home/a/venv/bin/python3 << 'EOF'\nimport os\nEOF", null],
    ["venv/bin/python -c 'print(1)'; .venv/bin/python", null],
    ["cd train && /home/a/venv/bin/python -u train.py", "/home/a/venv/bin/python -u train.py"],
    [
      "git commit -m 'Tune the configs for input/output: deeper pipelines for large batches'",
      "git commit -m Tune the configs for input/output: deeper pipelines for large batches",
    ],
    ["git stash && git checkout main && git apply --check a.diff; git stash pop", null],
    ["/workspace/build/bin/ponyc test.pony && /bin/ls", "/workspace/build/bin/ponyc test.pony"],
    ["echo 'actor Main' > test.pony && ponyc test.pony -o . && ./test", "ponyc test.pony -o . && ./test"],
    ["nvcc -O3 sum.cu -o sum; cabal build all; forge test", "nvcc -O3 sum.cu -o sum; cabal build all; forge test"],
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
    ["python .venv\\Scripts\\run.py --all", "python .venv\\Scripts\\run.py --all"],
    [".\\gradlew.bat test", ".\\gradlew.bat test"],
    [
      ".venv\\Scripts\\python.exe -m pytest tests\\test_cart.py",
      ".venv\\Scripts\\python.exe -m pytest tests\\test_cart.py",
    ],
    ["npm.cmd test 2>&1 | Select-Object -Last 20", "npm.cmd test"],
    ["Set-Location web; npm run build", "npm run build"],
    ["Get-Content src\\a.ts | Select-String npm; dir", null],
    ["& .\\scripts\\deploy.ps1 -Env test", ".\\scripts\\deploy.ps1 -Env test"],
    ["\\rm -rf out && \\make all", "make all"],
    [
      "python C:\\Users\\somebody\\projects\\worktrees\\a-very-long-name-of-a-folder\\bench\\run.py",
      "python C:\\…\\bench\\run.py",
    ],
    ["aws s3 sync out s3://shop && npx prisma migrate dev", "aws s3 sync out s3://shop && npx prisma migrate dev"],
  ])("%s: %s", (command, expected) => expect(notableCommand(command)).toBe(expected));
});

describe("commands of PowerShell", () => {
  it.each([
    ["Get-Content -Path src\\a.ts -TotalCount 50", [["src\\a.ts", "read"]]],
    ["gc src\\a.ts | Select-String cart", [["src\\a.ts", "read"]]],
    ["type src\\a.ts", [["src\\a.ts", "read"]]],
    ["Set-Content -Path 'src\\a.ts' -Value $text", [["src\\a.ts", "created"]]],
    ["npm ls | Out-File -FilePath out\\ls.txt", [["out\\ls.txt", "created"]]],
    ["Add-Content src\\a.ts 'export {};'", [["src\\a.ts", "modified"]]],
    ["New-Item -ItemType File -Path src\\b.ts", [["src\\b.ts", "created"]]],
    [
      "Remove-Item -Force src\\a.ts; del src\\b.ts",
      [
        ["src\\a.ts", "deleted"],
        ["src\\b.ts", "deleted"],
      ],
    ],
    [
      "Move-Item src\\a.ts src\\b.ts",
      [
        ["src\\a.ts", "deleted"],
        ["src\\b.ts", "created"],
      ],
    ],
    ["Copy-Item -Path src\\a.ts -Destination old\\a.ts", [["old\\a.ts", "created"]]],
    ["copy src\\a.ts old\\a.ts", [["old\\a.ts", "created"]]],
    ["cd web; Get-Content src\\a.ts", [["web\\src\\a.ts", "read"]]],
    [
      "cd C:\\app; cat src\\a.ts; cat D:\\b.ts",
      [
        ["C:\\app\\src\\a.ts", "read"],
        ["D:\\b.ts", "read"],
      ],
    ],
  ])("%s", (command, actions) =>
    expect(shellFileActions(command).map(({ path, action }) => [path, action])).toEqual(actions),
  );

  it("are known to only show something", () => {
    expect(onlyShows("Get-ChildItem -Recurse src | Where-Object Name -like *.ts | Select-Object -First 5")).toBe(true);
    expect(onlyShows("Get-Content a.log | Measure-Object -Line")).toBe(true);
    expect(onlyShows("Invoke-Pester")).toBe(false);
  });
});

describe("what a program within a command writes", () => {
  const actions = (command: string) => shellFileActions(command).map(({ path, action }) => `${action} ${path}`);

  it.each([
    ["python3 - <<'EOF'\ntext = open('src/cart.py').read()\nopen('src/cart.py', 'w').write(text)\nEOF", "src/cart.py"],
    [
      "python - <<EOF\nfile_path = 'src/cart.py'\nwith open(file_path, \"w\") as f:\n    f.write('')\nEOF",
      "src/cart.py",
    ],
    ['cd shop && python3.12 -c \'with open("src/cart.py", mode="a") as f: f.write("x")\'', "shop/src/cart.py"],
    [
      "python <<EOF\nfrom pathlib import Path\np = Path('src/cart.py')\np.write_text(p.read_text())\nEOF",
      "src/cart.py",
    ],
    ["node -e \"require('fs').writeFileSync('src/cart.ts', '')\"", "src/cart.ts"],
    ["ed -s src/cart.py <<EOF\n5d\nw\nq\nEOF", "src/cart.py"],
  ])("is a change: %s", (command, path) => {
    expect(actions(command)).toEqual([`modified ${path}`]);
  });

  it.each([
    "python - <<'EOF'\nprint(open('src/cart.py').read())\nEOF",
    "python -c 'open(path, \"w\")'",
    "echo \"open('src/cart.py', 'w')\"",
    "python bench.py",
  ])("is none if it only reads, names no file or does not run: %s", (command) => {
    expect(actions(command)).toEqual([]);
  });
});
