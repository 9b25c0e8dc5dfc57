import { CACHE_PARTS, PARTS } from "../chart/call-shares.ts";
import { useInspector } from "../state/inspector.ts";
import { KEYS } from "./keys.ts";

/** A dialog with the keys, the colours, and what the page was made from. */
export function HelpDialog({ dialog }: { readonly dialog: { current: HTMLDialogElement | null } }) {
  const { threadfoldVersion, madeAt, thread } = useInspector().index.value;
  return (
    <dialog ref={dialog} class="help" aria-label="Keys and colours">
      <div class="help-columns">
        <section>
          <h2>Keys</h2>
          <dl class="keys">
            {KEYS.map(([keys, does]) => (
              <div key={does}>
                <dt>{keys.map((key) => (key === "–" ? <span key={key}>–</span> : <kbd key={key}>{key}</kbd>))}</dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h2>Colours</h2>
          <Colours title="What a request is made of" parts={[...PARTS, ["tokens", "dropped", "dropped"]]} />
          <Colours title="What the prompt cache did" parts={CACHE_PARTS} />
          <p class="quiet">
            Costs are counted in uncached input tokens. Folds are lines across the timeline, or ticks at its top where
            they are close together; cache breaks are red wedges at its bottom.
          </p>
          <p class="quiet">
            Threadfold {threadfoldVersion}, {new Date(madeAt).toISOString().slice(0, 16).replace("T", " ")} UTC; thread
            version {thread.version}. The address says where you are: copy it to show someone this exact place.
          </p>
        </section>
      </div>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

const Colours = ({ title, parts }: { readonly title: string; readonly parts: typeof PARTS }) => (
  <>
    <h3>{title}</h3>
    <ul class="colours">
      {parts.map(([, name, tone]) => (
        <li key={name}>
          <i class={`dot tone-${tone}`} />
          {name}
        </li>
      ))}
    </ul>
  </>
);
