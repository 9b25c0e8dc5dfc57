import { asMessageId, asToolCallId, type MessageInput } from "@threadfold/core";
import type { RecordedWork } from "./recorded-agent.ts";

/** Sets a mark that tests check for, if it runs. */
const RUN = "window.hostile=1";

/** Texts that try to run, to navigate away, to hide, or to break out of wherever they are put. */
export const HOSTILE_TEXTS: readonly string[] = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  `<iframe srcdoc="<script>parent.hostile=1</script>"></iframe>`,
  `<a href="javascript:${RUN}">click</a> [click](javascript:${RUN})`,
  `"><style>*{display:none}</style><base href="https://hostile.invalid/">`,
  `<meta http-equiv="refresh" content="0;url=https://hostile.invalid/">`,
  "<link rel=stylesheet href=https://hostile.invalid/a.css><img src=https://hostile.invalid/a.png>",
  `<form action=https://hostile.invalid/><input autofocus onfocus="${RUN}"></form>`,
  `]]><!--</title></textarea></style></noscript><img src=x onerror=${RUN}>-->`,
  `{{constructor.constructor('${RUN}')()}} \${${RUN}} #{${RUN}}`,
  "\u202egnp.exe\u2066 \u001b[2J\u001b]0;title\u0007 \u0000 \ufeff",
  `{"__proto__":{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${RUN}>"}},"type":"script"}`,
  `<details open ontoggle="${RUN}"><summary>x</summary></details><video><source onerror="${RUN}"></video>`,
];

const at = (second: number): string => new Date(Date.parse("2026-03-01T12:00:00.000Z") + second * 1_000).toISOString();

/** Returns a thread in which every text that a page shows, including names, is one of {@link HOSTILE_TEXTS}. */
export function hostileWork(threadId: string): RecordedWork {
  const messages = HOSTILE_TEXTS.flatMap((text, index): readonly MessageInput[] => {
    const call = { callId: asToolCallId(`${text} ${index}`), toolName: text.slice(0, 60) };
    return [
      said(`u${index}`, index, "user", [{ type: "text", text: `Never do this: ${text}` }]),
      said(`a${index} ${text}`, index, "assistant", [
        { type: "reasoning", text },
        { type: "tool-call", ...call, input: { [text]: text } },
      ]),
      said(`t${index}`, index, "tool", [
        {
          type: "tool-result",
          result: { ...call, outcome: "success", content: { type: "text", text: text.repeat(200) } },
        },
      ]),
    ];
  });
  return { threadId, messages };
}

const said = (id: string, second: number, role: MessageInput["role"], parts: MessageInput["parts"]): MessageInput => ({
  id: asMessageId(id),
  createdAt: at(second),
  role,
  parts,
});
