import { describe, expect, it } from "vitest";
import { Conversation, summaryOf } from "../../testing/conversation.ts";
import { commitMessage } from "./report-collectors.ts";

describe("what an agent wrote down of its work", () => {
  it.each([
    ['git commit -m "Fix the cart"', ["Fix the cart"]],
    [
      "cd shop && git add -A && git -C . commit -am 'Fix the cart' -m 'It lost items.' && git push",
      ["Fix the cart", "It lost items."],
    ],
    ['git commit --message="Say \\"no\\" to empty carts"', ['Say "no" to empty carts']],
    [
      "git commit -m \"$(cat <<'EOF'\nFix the cart\n\n- It lost items\n- Tests added\n\nCo-Authored-By: Somebody <a@b.c>\nEOF\n)\"",
      ["Fix the cart", "It lost items", "Tests added"],
    ],
    ['gh pr create --title "Cart" --body "Keeps items."', ["Cart", "Keeps items."]],
    ['git log -m "no"', []],
    ["echo 'git' commit", []],
    ["npm run commit -m 'x'", []],
  ])("of %j", (command, lines) => expect(commitMessage(command)).toEqual(lines));

  it("stands in the summary once it went through, subject first, and not when it failed", () => {
    const conversation = new Conversation()
      .user("Mend the cart.")
      .bash(
        "git commit -m 'Keep items of guests' -m 'They were lost at login, because the session id changes.'",
        "1 file changed",
      )
      .bash("git commit -m 'Never happened'", "nothing to commit", 1);
    const { summary, text } = summaryOf(conversation);
    expect(summary.facts.slice(0, 2)).toMatchObject([
      { text: "Committed: Keep items of guests", sources: ["m2"] },
      { text: "They were lost at login, because the session id changes.", sources: ["m2"] },
    ]);
    expect(text).not.toContain("Committed: Never");
  });
});
