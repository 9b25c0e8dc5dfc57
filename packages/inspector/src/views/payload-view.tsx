import { bytes, whole } from "../format/figures.ts";
import { Opened } from "../parts/body-view.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LongText } from "../parts/long-text.tsx";
import { SaveButton } from "../parts/save-button.tsx";
import { Scrolled } from "../parts/section.tsx";
import { useInspector } from "../state/inspector.ts";
import { useLoaded } from "../state/loaded.ts";

/** The bytes that went to the provider, rendered again. */
export function PayloadView() {
  const { index, bodies, call } = useInspector();
  const { calls, redacted } = index.value;
  const at = call.value;
  const payload = useLoaded(() => bodies.value.payload(at), [bodies.value, at]);
  return (
    <Scrolled label="Payload">
      <Opened body={payload}>
        {(value) =>
          value === null ? (
            <p class="bad">The payload of this call could not be rendered again; Integrity says why.</p>
          ) : (
            <>
              <div class="bar">
                <p class="quiet">
                  {bytes(calls.bytes[at] ?? value.text.length)} as sent{redacted && ", secrets removed here"}
                  {at > 0 &&
                    value.sameUntil > 0 &&
                    `; the first ${whole(value.sameUntil)} characters are the same as in call ${whole(at)}`}
                </p>
                <CopyButton text={value.text} what="the payload" />
                <SaveButton
                  name={`call-${at + 1}.json`}
                  what="the payload"
                  read={async () => new Blob([value.text], { type: "application/json" })}
                />
              </div>
              <LongText
                key={at}
                text={value.text}
                isJson
                {...(value.sameUntil > 0 && { sameUntil: value.sameUntil })}
              />
            </>
          )
        }
      </Opened>
    </Scrolled>
  );
}
