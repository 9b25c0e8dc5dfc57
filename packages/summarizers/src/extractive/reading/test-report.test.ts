import { growthOnQuadrupling } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { Conversation, summaryOf } from "../../testing/conversation.ts";
import { testReport } from "./test-report.ts";

/** What the summary tells of a command with this output: what it came to, and what went wrong. */
function toldOf(command: string, output: string, exitCode: number) {
  const failed = exitCode !== 0;
  const conversation = new Conversation()
    .user("Go.")
    .tool("Bash", { command }, failed ? `Exit code ${exitCode}\n${output}` : output, failed ? "failure" : "success");
  const [outcome] = summaryOf(conversation).summary.toolOutcomes;
  return { outcome: outcome?.outcome, result: outcome?.keyFields["result"], error: outcome?.errorMessage };
}

/** A run that failed: its runner, the command, its output, the counts, and the names of failed tests with the reason. */
const RED: readonly (readonly [string, string, string, string, string])[] = [
  [
    "pytest with one failed test",
    "pytest -q tests",
    `..F                                                                      [100%]
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_cart.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
1 failed, 2 passed in 0.04s`,
    "1 failed, 2 passed",
    "tests/test_cart.py::test_total: assert 3 == 4",
  ],
  [
    "pytest with several",
    "pytest",
    `============================= test session starts ==============================
platform linux -- Python 3.11.4, pytest-7.4.0, pluggy-1.2.0
collected 17 items

tests/test_cart.py FFFF.............                                     [100%]

=============================== warnings summary ===============================
tests/test_cart.py: 12 warnings
  /repo/cart/total.py:3: DeprecationWarning: round() is deprecated
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
FAILED tests/test_cart.py::test_empty - KeyError: 'price'
FAILED tests/test_cart.py::TestTax::test_rate[de-19] - assert 0.07 == 0.19
FAILED tests/test_cart.py::TestTax::test_rate[fr-20] - assert 0.07 == 0.2
================== 4 failed, 13 passed, 12 warnings in 0.21s ===================`,
    "4 failed, 13 passed, 12 warnings",
    "tests/test_cart.py::test_total, tests/test_cart.py::test_empty, tests/test_cart.py::TestTax::test_rate[de-19] and 1 more: assert 3 == 4",
  ],
  [
    "pytest with an error at collection",
    "pytest -x",
    `collected 3 items / 1 error

==================================== ERRORS ====================================
____________________ ERROR collecting tests/test_orders.py _____________________
ImportError while importing test module '/repo/tests/test_orders.py'.
tests/test_orders.py:1: in <module>
    from orders import Order
E   ModuleNotFoundError: No module named 'orders'
=========================== short test summary info ============================
ERROR tests/test_orders.py
!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 0.09s ===============================`,
    "1 error",
    "tests/test_orders.py: ModuleNotFoundError: No module named 'orders'",
  ],
  [
    "pytest with a file that is no Python",
    "pytest tests/test_cart.py",
    `==================================== ERRORS ====================================
_____________________ ERROR collecting tests/test_cart.py ______________________
E     File "/repo/cart.py", line 3
E       def total(
E                ^
E   SyntaxError: '(' was never closed
=========================== short test summary info ============================
ERROR tests/test_cart.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 0.09s ===============================`,
    "1 error",
    "tests/test_cart.py: SyntaxError: '(' was never closed",
  ],
  [
    "unittest of an older Python",
    "./tests/runtests.py delete",
    `ERROR: test_fast (delete.tests.FastDeleteTests)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/repo/django/db/models/deletion.py", line 9, in delete
django.db.utils.OperationalError: no such table: delete_user

----------------------------------------------------------------------
Ran 2 tests in 0.101s

FAILED (errors=1)`,
    "2 tests: FAILED (errors=1)",
    "delete.tests.FastDeleteTests.test_fast: django.db.utils.OperationalError: no such table: delete_user",
  ],
  [
    "unittest",
    "python -m unittest",
    `F.E
======================================================================
ERROR: test_empty (tests.test_cart.CartTest.test_empty)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/repo/tests/test_cart.py", line 12, in test_empty
    total(None)
TypeError: 'NoneType' object is not iterable

======================================================================
FAIL: test_total (tests.test_cart.CartTest.test_total)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/repo/tests/test_cart.py", line 8, in test_total
    self.assertEqual(total([1, 2]), 4)
AssertionError: 3 != 4

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (failures=1, errors=1)`,
    "3 tests: FAILED (failures=1, errors=1)",
    "tests.test_cart.CartTest.test_empty, tests.test_cart.CartTest.test_total: TypeError: 'NoneType' object is not iterable",
  ],
  [
    "jest",
    "npx jest",
    `PASS src/items.test.js
FAIL src/cart.test.js
  ● cart › adds up

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      4 |   expect(total([1, 2])).toBe(4);
        |                         ^
      at Object.toBe (src/cart.test.js:4:25)

  ● cart › is empty at first

    TypeError: Cannot read properties of undefined (reading 'price')

Test Suites: 1 failed, 1 passed, 2 total
Tests:       2 failed, 9 passed, 11 total
Snapshots:   3 passed, 3 total
Time:        1.204 s
Ran all test suites.`,
    "2 failed, 9 passed",
    "cart › adds up, cart › is empty at first: expect(received).toBe(expected) // Object.is equality",
  ],
  [
    "a suite of jest that does not start",
    "npx jest",
    `FAIL src/cart.test.js
  ● Test suite failed to run

    Cannot find module './cart' from 'src/cart.test.js'

Test Suites: 1 failed, 1 passed, 2 total
Tests:       9 passed, 9 total
Snapshots:   0 total`,
    "1 file failed, 9 passed",
    "src/cart.test.js: Cannot find module './cart' from 'src/cart.test.js'",
  ],
  [
    "vitest",
    "npx vitest run",
    ` RUN  v3.2.4 /repo

 ✓ src/items.test.ts (9 tests) 6ms
 ❯ src/cart.test.ts (4 tests | 2 failed) 9ms
   × cart > adds up 5ms
     → expected 3 to be 4 // Object.is equality
   × cart > rounds 1ms
     → expected 3.1 to be 3 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 2 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/cart.test.ts > cart > adds up
AssertionError: expected 3 to be 4 // Object.is equality
 ❯ src/cart.test.ts:5:28

 FAIL  src/cart.test.ts > cart > rounds
AssertionError: expected 3.1 to be 3 // Object.is equality

 Test Files  1 failed | 1 passed (2)
      Tests  2 failed | 11 passed (13)
   Start at  10:02:11
   Duration  412ms`,
    "2 failed, 11 passed",
    "src/cart.test.ts > cart > adds up, src/cart.test.ts > cart > rounds: AssertionError: expected 3 to be 4 // Object.is equality",
  ],
  [
    "a file that vitest cannot load",
    "npx vitest run",
    ` FAIL  src/cart.test.ts [ src/cart.test.ts ]
Error: Failed to resolve import "./cart" from "src/cart.test.ts". Does the file exist?

 Test Files  1 failed (1)
      Tests  no tests
   Duration  312ms`,
    "1 file failed",
    'src/cart.test.ts: Error: Failed to resolve import "./cart" from "src/cart.test.ts". Does the file exist?',
  ],
  [
    "mocha",
    "npx mocha",
    `
  cart
    ✔ is empty at first
    1) adds up
    2) rounds

  1 passing (8ms)
  2 failing

  1) cart
       adds up:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

3 !== 4

      at Context.<anonymous> (test/cart.js:6:12)

  2) cart
       rounds:
     Error: timeout of 2000ms exceeded`,
    "2 failed, 1 passed",
    "cart adds up, cart rounds: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
  ],
  [
    "rspec",
    "bundle exec rspec",
    `.F.*

Failures:

  1) Cart#total adds up
     Failure/Error: expect(cart.total).to eq(4)

       expected: 4
            got: 3
     # ./spec/cart_spec.rb:7:in \`block (3 levels) in <top (required)>'

Finished in 0.00312 seconds (files took 0.08 seconds to load)
4 examples, 1 failure, 1 pending

Failed examples:

rspec ./spec/cart_spec.rb:5 # Cart#total adds up`,
    "1 failed, 2 passed, 1 skipped",
    "Cart#total adds up: expect(cart.total).to eq(4)",
  ],
  [
    "minitest",
    "bin/rails test",
    `# Running:

.F

Failure:
CartTest#test_total [test/models/cart_test.rb:7]:
Expected: 4
  Actual: 3

bin/rails test test/models/cart_test.rb:5

Finished in 0.031s, 64.5 runs/s, 64.5 assertions/s.
2 runs, 2 assertions, 1 failures, 0 errors, 0 skips`,
    "1 failed, 1 passed",
    "CartTest#test_total: Expected: 4",
  ],
  [
    "phpunit",
    "vendor/bin/phpunit",
    `PHPUnit 10.5.2 by Sebastian Bergmann and contributors.

..F.E                                                               5 / 5 (100%)

There was 1 error:

1) Tests\\CartTest::testEmpty
TypeError: total(): Argument #1 must be of type array, null given

--

There was 1 failure:

1) Tests\\CartTest::testTotal
Failed asserting that 3 matches expected 4.

/repo/tests/CartTest.php:14

ERRORS!
Tests: 5, Assertions: 4, Errors: 1, Failures: 1.`,
    "1 failed, 1 error, 3 passed",
    "Tests\\CartTest::testEmpty, Tests\\CartTest::testTotal: TypeError: total(): Argument #1 must be of type array, null given",
  ],
  [
    "dotnet test",
    "dotnet test",
    `  Determining projects to restore...
  Cart.Tests -> /repo/Cart.Tests/bin/Debug/net8.0/Cart.Tests.dll
Starting test execution, please wait...
  Failed Cart.Tests.TotalTests.AddsUp [12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 4
Actual:   3
  Stack Trace:
     at Cart.Tests.TotalTests.AddsUp() in /repo/Cart.Tests/TotalTests.cs:line 11

Failed!  - Failed:     1, Passed:    12, Skipped:     1, Total:    14, Duration: 31 ms - Cart.Tests.dll (net8.0)`,
    "1 failed, 12 passed, 1 skipped",
    "Cart.Tests.TotalTests.AddsUp: Assert.Equal() Failure: Values differ",
  ],
  [
    "gradle",
    "./gradlew test",
    `> Task :compileJava UP-TO-DATE
> Task :test FAILED

CartTest > addsUp() FAILED
    org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
        at CartTest.addsUp(CartTest.java:12)

5 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///repo/build/reports/tests/test/index.html

BUILD FAILED in 3s`,
    "1 failed, 4 passed",
    "CartTest > addsUp(): org.opentest4j.AssertionFailedError: expected: <4> but was: <3>",
  ],
  [
    "maven",
    "mvn -q test",
    `[INFO] Running com.example.CartTest
[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.041 s <<< FAILURE! -- in com.example.CartTest
[ERROR] com.example.CartTest.addsUp -- Time elapsed: 0.004 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
[ERROR] com.example.CartTest.empty -- Time elapsed: 0.001 s <<< ERROR!
[INFO]
[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   CartTest.addsUp:12 expected: <4> but was: <3>
[ERROR] Errors:
[ERROR]   CartTest.empty:19 » NullPointer
[INFO]
[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 0
[INFO]
[INFO] BUILD FAILURE`,
    "1 failed, 1 error, 3 passed",
    "com.example.CartTest.addsUp, com.example.CartTest.empty: expected: <4> but was: <3>",
  ],
  [
    "ctest",
    "ctest --output-on-failure",
    `Test project /repo/build
    Start 1: items
1/3 Test #1: items ............................   Passed    0.01 sec
2/3 Test #2: total ............................***Failed    0.01 sec
total.cpp:12: Failure: expected 4, got 3

67% tests passed, 1 tests failed out of 3

Total Test time (real) =   0.04 sec

The following tests FAILED:
	  2 - total (Failed)
Errors while running CTest`,
    "1 failed, 2 passed",
    "total: total.cpp:12: Failure: expected 4, got 3",
  ],
  [
    "googletest",
    "./build/cart_test",
    `[==========] Running 3 tests from 1 test suite.
[ RUN      ] Cart.AddsUp
/repo/test/cart_test.cc:9: Failure
Expected equality of these values:
  total({1, 2})
    Which is: 3
  4
[  FAILED  ] Cart.AddsUp (0 ms)
[==========] 3 tests from 1 test suite ran. (1 ms total)
[  PASSED  ] 2 tests.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Cart.AddsUp

 1 FAILED TEST`,
    "1 failed, 2 passed",
    "Cart.AddsUp: /repo/test/cart_test.cc:9: Failure",
  ],
  [
    "bats",
    "bats test",
    ` ✓ prints its name
 ✗ adds up
   (in test file test/cart.bats, line 8)
     \`[ "$output" = 4 ]' failed

2 tests, 1 failure`,
    "1 failed, 1 passed",
    "adds up: (in test file test/cart.bats, line 8)",
  ],
  [
    "anything that speaks TAP",
    "bats --tap test",
    `1..4
ok 1 prints its name
not ok 2 adds up
# (in test file test/cart.bats, line 8)
#   \`[ "$output" = 4 ]' failed
ok 3 rounds # skip later
not ok 4 is empty # TODO not yet`,
    "1 failed, 1 passed",
    "adds up: (in test file test/cart.bats, line 8)",
  ],
  [
    "prove with the lines of TAP",
    "prove -v t/cart.t",
    `1..3
ok 1 - prints its name
not ok 2 - adds up
#   Failed test 'adds up'
#   at t/cart.t line 8.
ok 3 - rounds
Failed 1/3 subtests
Files=1, Tests=3,  2 wallclock secs ( 0.06 usr)
Result: FAIL`,
    "1 failed, 2 passed",
    "adds up: at t/cart.t line 8.",
  ],
  [
    "prove without the lines of TAP",
    "prove t",
    `#   Failed test 'adds up'
#   at t/cart.t line 3.
#          got: '3'
#     expected: '4'
# Looks like you failed 1 test of 2.
t/cart.t ..
Dubious, test returned 1 (wstat 256, 0x100)
Failed 1/2 subtests

Test Summary Report
-------------------
t/cart.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
  Failed test:  2
Files=1, Tests=2,  2 wallclock secs ( 0.05 usr  0.01 sys +  0.08 cusr  0.05 csys =  0.19 CPU)
Result: FAIL`,
    "1 failed, 1 passed",
    "adds up: at t/cart.t line 3.",
  ],
  [
    "node --test as TAP",
    "node --test --test-reporter=tap",
    `TAP version 13
# Subtest: cart
    # Subtest: adds up
    not ok 1 - adds up
      ---
      duration_ms: 2.774855
      type: 'test'
      error: |-
        Expected values to be strictly equal:

        3 !== 4
      ...
    1..1
not ok 1 - cart
  ---
  duration_ms: 57.175285
  type: 'suite'
  error: '1 subtest failed'
  ...
1..1
# tests 1
# suites 1
# pass 0
# fail 1`,
    "1 failed",
    "adds up: Expected values to be strictly equal:",
  ],
  [
    "a test of cargo that should panic",
    "cargo test",
    `test tests::refuses - should panic ... FAILED

---- tests::refuses stdout ----
note: test did not panic as expected at src/lib.rs:9:8

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`,
    "1 failed, 1 passed",
    "tests::refuses: test did not panic as expected at src/lib.rs:9:8",
  ],
  [
    "node --test",
    "node --test",
    `✔ prints its name (0.4ms)
✖ adds up (1.2ms)
ℹ tests 2
ℹ suites 0
ℹ pass 1
ℹ fail 1
ℹ cancelled 0
ℹ skipped 0
ℹ todo 0
ℹ duration_ms 52.1

✖ failing tests:

test at test/cart.test.js:5:1
✖ adds up (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  3 !== 4`,
    "1 failed, 1 passed",
    "adds up: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
  ],
  [
    "deno test",
    "deno test",
    `running 2 tests from ./cart_test.ts
prints its name ... ok (1ms)
adds up ... FAILED (2ms)

 ERRORS

adds up => ./cart_test.ts:5:6
error: AssertionError: Values are not equal.

 FAILURES

adds up => ./cart_test.ts:5:6

FAILED | 1 passed | 1 failed (9ms)`,
    "1 failed, 1 passed",
    "adds up: AssertionError: Values are not equal.",
  ],
  [
    "bun test",
    "bun test",
    `bun test v1.1.20

test/cart.test.ts:
(pass) cart > prints its name [0.10ms]
error: expect(received).toBe(expected)

Expected: 4
Received: 3
(fail) cart > adds up [0.42ms]

 1 pass
 1 fail
 2 expect() calls
Ran 2 tests across 1 files. [11.00ms]`,
    "1 failed, 1 passed",
    "cart > adds up: expect(received).toBe(expected)",
  ],
  [
    "mix test",
    "mix test",
    `..

  1) test adds up (CartTest)
     test/cart_test.exs:5
     Assertion with == failed
     code:  assert Cart.total([1, 2]) == 4
     left:  3
     right: 4

Finished in 0.03 seconds (0.00s async, 0.03s sync)
1 doctest, 3 tests, 1 failure

Randomized with seed 4711`,
    "1 failed, 3 passed",
    "adds up (CartTest): Assertion with == failed",
  ],
  [
    "XCTest",
    "swift test",
    `Test Suite 'All tests' started at 2025-03-01 10:00:00.000
Test Case '-[CartTests.TotalTests testAddsUp]' started.
/repo/Tests/CartTests/TotalTests.swift:8: error: -[CartTests.TotalTests testAddsUp] : XCTAssertEqual failed: ("3") is not equal to ("4")
Test Case '-[CartTests.TotalTests testAddsUp]' failed (0.021 seconds).
Test Suite 'TotalTests' failed at 2025-03-01 10:00:00.030.
	 Executed 3 tests, with 1 failure (0 unexpected) in 0.024 (0.025) seconds
Test Suite 'All tests' failed at 2025-03-01 10:00:00.031.
	 Executed 3 tests, with 1 failure (0 unexpected) in 0.024 (0.026) seconds`,
    "1 failed, 2 passed",
    `CartTests.TotalTests testAddsUp: XCTAssertEqual failed: ("3") is not equal to ("4")`,
  ],
  [
    "Swift Testing",
    "swift test",
    `◇ Test run started.
✘ Test addsUp() recorded an issue at TotalTests.swift:8:5: Expectation failed: (total → 3) == 4
✘ Test addsUp() failed after 0.001 seconds with 1 issue.
✔ Test rounds() passed after 0.001 seconds.
✘ Test run with 2 tests failed after 0.002 seconds with 1 issue.`,
    "1 failed, 1 passed",
    "addsUp(): Expectation failed: (total → 3) == 4",
  ],
  [
    "cargo test in several binaries",
    "cargo test",
    `   Compiling cart v0.1.0 (/repo)
     Running unittests src/lib.rs (target/debug/deps/cart-1f2e)

running 3 tests
test tests::adds_up ... FAILED
test tests::rounds ... ok
test tests::is_empty ... ok

failures:

---- tests::adds_up stdout ----
thread 'tests::adds_up' panicked at src/lib.rs:14:9:
assertion \`left == right\` failed
  left: 3
 right: 4

failures:
    tests::adds_up

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/api.rs (target/debug/deps/api-77aa)

running 4 tests
test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests cart
test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass \`--lib\``,
    "1 failed, 6 passed, 1 skipped",
    "tests::adds_up: assertion `left == right` failed",
  ],
  [
    "cargo nextest",
    "cargo nextest run",
    `    Starting 3 tests across 1 binary
        FAIL [   0.004s] cart tests::adds_up
        PASS [   0.004s] cart tests::rounds
────────────
     Summary [   0.010s] 3 tests run: 2 passed, 1 failed, 0 skipped
        FAIL [   0.004s] cart tests::adds_up
error: test run failed`,
    "1 failed, 2 passed",
    "cart tests::adds_up",
  ],
  [
    "go test -v",
    "go test -v ./...",
    `=== RUN   TestTotal
    total_test.go:9: total = 3, want 4
--- FAIL: TestTotal (0.00s)
=== RUN   TestRate
=== RUN   TestRate/de
    total_test.go:21: rate = 7, want 19
--- FAIL: TestRate (0.00s)
    --- FAIL: TestRate/de (0.00s)
=== RUN   TestRound
=== PAUSE TestRound
=== CONT  TestRound
--- PASS: TestRound (0.00s)
FAIL
FAIL	example.com/cart	0.012s
=== RUN   TestItems
--- PASS: TestItems (0.00s)
PASS
ok  	example.com/items	0.004s
FAIL`,
    "2 failed, 2 passed, FAIL example.com/cart, 1 package ok",
    "TestTotal, TestRate/de: total_test.go:9: total = 3, want 4",
  ],
  [
    "go test without names of what passed",
    "go test ./...",
    `--- FAIL: TestTotal (0.00s)
    total_test.go:9: total = 3, want 4
FAIL
FAIL	example.com/cart	0.012s
ok  	example.com/items	(cached)
FAIL`,
    "1 failed, FAIL example.com/cart, 1 package ok",
    "TestTotal: total_test.go:9: total = 3, want 4",
  ],
  [
    "a package that go cannot build",
    "go test ./...",
    `# example.com/cart [example.com/cart.test]
./total_test.go:9:14: undefined: Total
FAIL	example.com/cart [build failed]
FAIL`,
    "FAIL example.com/cart [build failed]",
    "./total_test.go:9:14: undefined: Total",
  ],
  [
    "tox",
    "tox",
    `py311: commands[0]> pytest
============================== 3 passed in 0.02s ===============================
py312: commands[0]> pytest
FAILED tests/test_cart.py::test_total - assert 3 == 4
========================= 1 failed, 2 passed in 0.04s ==========================
py312: exit 1 (0.40 seconds) /repo> pytest pid=4711
  py311: OK (0.61=setup[0.20]+cmd[0.41] seconds)
  py312: FAIL code 1 (0.60=setup[0.20]+cmd[0.40] seconds)
  evaluation failed :( (1.25 seconds)`,
    "1 failed, 5 passed, py312 failed, py311 ok",
    "tests/test_cart.py::test_total: assert 3 == 4",
  ],
  [
    "nox",
    "nox",
    `nox > Running session tests-3.11
nox > ruff check .
nox > Command ruff check . failed with exit code 1
nox > Session lint failed.
nox > Ran multiple sessions:
nox > * tests-3.11: success
nox > * lint: failed`,
    "lint failed, tests-3.11 ok",
    "nox > Command ruff check . failed with exit code 1",
  ],
  [
    "Playwright",
    "npx playwright test",
    `Running 3 tests using 2 workers

  1) [chromium] › tests/cart.spec.ts:5:1 › cart › adds up ──────────────────────

    Error: Timed out 5000ms waiting for expect(locator).toHaveText(expected)

  1 failed
    [chromium] › tests/cart.spec.ts:5:1 › cart › adds up ─────────────────────────
  2 passed (6.1s)`,
    "1 failed, 2 passed",
    "[chromium] › tests/cart.spec.ts:5:1 › cart › adds up: Error: Timed out 5000ms waiting for expect(locator).toHaveText(expected)",
  ],
];

/** A run that passed: the command, its output, and what is told of it. */
const GREEN: readonly (readonly [string, string, string])[] = [
  [
    "pytest",
    "tests/test_a.py .....  [100%]\n\n============ 5 passed, 2 warnings in 0.12s ============",
    "5 passed, 2 warnings",
  ],
  ["pytest -k gone", "\n==================== no tests ran in 0.01s ====================", "no tests ran"],
  [
    "npx vitest run",
    " Test Files  3 passed (3)\n      Tests  12 passed | 1 skipped (13)\n   Duration  2.1s",
    "12 passed, 1 skipped",
  ],
  [
    "npm test --workspaces",
    " Test Files  3 passed (3)\n      Tests  12 passed (12)\n\n Test Files  1 passed (1)\n      Tests  4 passed (4)",
    "16 passed",
  ],
  [
    "npx jest",
    "Test Suites: 2 passed, 2 total\nTests:       9 passed, 9 total\nSnapshots:   3 passed, 3 total",
    "9 passed",
  ],
  [
    "cargo test",
    "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\n   Doc-tests cart\ntest result: ok. 0 passed; 0 failed; 0 ignored",
    "4 passed",
  ],
  ["bundle exec rspec", "12 examples, 0 failures", "12 passed"],
  ["vendor/bin/phpunit", "OK (5 tests, 8 assertions)", "5 passed"],
  ["mix test", "Finished in 0.03 seconds\n5 tests, 0 failures", "5 passed"],
  [
    "dotnet test",
    "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12, Duration: 31 ms - Cart.Tests.dll (net8.0)",
    "12 passed",
  ],
  ["swift test", "\t Executed 3 tests, with 0 failures (0 unexpected) in 0.024 (0.025) seconds", "3 passed"],
  ["ctest", "100% tests passed, 0 tests failed out of 3", "3 passed"],
  ["mvn test", "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS", "4 passed, 1 skipped"],
  ["go test ./...", "ok  \texample.com/cart\t0.012s", "ok example.com/cart 0.012s"],
  [
    "go test ./...",
    "ok  \texample.com/cart\t0.012s\nok  \texample.com/items\t0.2s\n?   \texample.com/cmd\t[no test files]",
    "2 packages ok",
  ],
  [
    "go test -v .",
    "=== RUN   TestA\n=== PAUSE TestA\n=== CONT  TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/cart\t0.012s",
    "1 passed, ok example.com/cart 0.012s",
  ],
  [
    "go test -v -run TestA . | head -4",
    "=== RUN   TestA\n=== PAUSE TestA\n=== RUN   TestB\n=== PAUSE TestB",
    "success",
  ],
];

describe("what a run of tests came to", () => {
  it.each(RED)("is told with counts, failed tests and the first reason: %s", (_, command, output, result, error) => {
    expect(toldOf(command, output, 1)).toEqual({ outcome: "failure", result, error });
  });

  it.each(GREEN)("is told in one line if all is well: %s", (command, output, result) => {
    const told = toldOf(command, output, 0);
    expect({ ...told, result: told.result ?? told.outcome }).toEqual({ outcome: "success", result, error: null });
  });

  it("is a failure by the runner's own word where no exit code is known, and a pipe hid it", () => {
    const output = "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed, 2 passed in 0.04s";
    expect(toldOf("pytest -q | tail -3", output, 0)).toEqual({
      outcome: "failure",
      result: "1 failed, 2 passed",
      error: "tests/test_cart.py::test_total: assert 3 == 4",
    });
  });

  it("names each failed test once, the first three at most, however many there are and however often they stand", () => {
    const names = Array.from({ length: 40 }, (_, index) => `  ● cart › part ${index}\n\n    expected ${index}\n`);
    const output = [...names, "Summary of all failing tests", ...names, "Tests:       40 failed, 40 total"].join("\n");
    expect(toldOf("npx jest", output, 1)).toMatchObject({
      result: "40 failed",
      error: "cart › part 0, cart › part 1, cart › part 2 and 37 more: expected 0",
    });
  });

  it("says how many failed by the counts where a harness cut the names", () => {
    const one = "ERROR: test_add (admin.tests.AddTests)\nNameError: name 'extra' is not defined\n";
    const { error } = toldOf(
      "./tests/runtests.py admin",
      `${one}\n---\nRan 68 tests in 0.9s\n\nFAILED (failures=2, errors=57)`,
      1,
    );
    expect(error).toBe("admin.tests.AddTests.test_add and 58 more: NameError: name 'extra' is not defined");
    const pytest = "FAILED tests/test_a.py::test_b - assert 1\n4 failed, 1 error, 2 passed in 0.1s";
    expect(toldOf("pytest", pytest, 1).error).toBe("tests/test_a.py::test_b and 4 more: assert 1");
  });

  it("takes no count from what a program prints of other things", () => {
    expect(toldOf("node build.mjs", "Tests are fine.\n3 tests of taste\nok then", 0).result).toBe("ok then");
  });
});

describe("an output of a test run", () => {
  it.each(["\n", " \n", "\t", "1", "FAIL ", "a.go:1: ", "=== RUN a\n", "1 passed, ", "- ", "not ok 1 - "])(
    "R29 is read in linear time if it repeats %j",
    async (unit) => {
      const textOf = (size: number): string => unit.repeat(size / unit.length);
      expect(await growthOnQuadrupling(textOf, testReport, 32_000)).toBeLessThan(10);
    },
  );
});
