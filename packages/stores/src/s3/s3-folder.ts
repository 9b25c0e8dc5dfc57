import type { S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { ThreadfoldError, type TimeLimit, timedOut, withinLimit } from "@threadfold/core";
import { type Drivers, loadDriver } from "../load-driver.ts";
import type { ObjectFolder } from "../objects/object-folder.ts";

type Sdk = Drivers["@aws-sdk/client-s3"];

/** How often a write is tried that the service calls off because another one of the same key was under way. */
const TRIES = 5;
/** A listing is several requests, and may take as long as so many. */
const LISTING_REQUESTS = 20;

/**
 * Objects in a bucket, under a prefix. Writes are conditional (`If-None-Match: *`), so that the first one stays.
 *
 * @param requestTimeoutMs how long one operation may take with all its tries, until its last byte is read.
 */
export function s3Folder(client: S3Client, bucket: string, prefix: string, requestTimeoutMs: number): ObjectFolder {
  const place = (key: string): { readonly Bucket: string; readonly Key: string } => ({
    Bucket: bucket,
    Key: prefix + key,
  });
  const sdk = loadDriver("@aws-sdk/client-s3");
  const limited = <Result>(work: (signal: AbortSignal) => Promise<Result>, milliseconds = requestTimeoutMs) =>
    guarded(bucket, () =>
      withinLimit(work, {
        ...{ milliseconds, waitedFor: `the bucket ${bucket}`, option: "requestTimeoutMs", timers: globalThis },
        late: bucketSilent,
      }),
    );
  return {
    putNew: (key, bytes) => limited((signal) => putNew(sdk, client, place(key), bytes, signal)),
    get: (key) => limited((signal) => read(sdk, client, place(key), signal)),
    list: (under) =>
      limited(
        (signal) => listKeys(sdk, client, { bucket, prefix, under }, signal),
        LISTING_REQUESTS * requestTimeoutMs,
      ),
    close: async () => client.destroy(),
  };
}

async function putNew(
  { PutObjectCommand }: Sdk,
  client: S3Client,
  place: { readonly Bucket: string; readonly Key: string },
  bytes: Uint8Array,
  abortSignal: AbortSignal,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      const put = new PutObjectCommand({ ...place, Body: bytes, ContentLength: bytes.length, IfNoneMatch: "*" });
      await client.send(put, { abortSignal });
      return true;
    } catch (error) {
      if (statusOf(error) === 412) return false;
      if (statusOf(error) !== 409 || attempt === TRIES) throw error;
    }
  }
}

async function read(
  { GetObjectCommand }: Sdk,
  client: S3Client,
  place: { readonly Bucket: string; readonly Key: string },
  abortSignal: AbortSignal,
): Promise<Uint8Array | null> {
  try {
    const { Body: body } = await client.send(new GetObjectCommand(place), { abortSignal });
    return (await body?.transformToByteArray()) ?? null;
  } catch (error) {
    if (isServiceError(error) && error.name === "NoSuchKey") return null;
    throw error;
  }
}

async function listKeys(
  { ListObjectsV2Command }: Sdk,
  client: S3Client,
  { bucket, prefix, under }: { readonly bucket: string; readonly prefix: string; readonly under: string },
  abortSignal: AbortSignal,
): Promise<readonly string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const next = token === undefined ? {} : { ContinuationToken: token };
    abortSignal.throwIfAborted();
    const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + under, ...next });
    const page = await client.send(list, { abortSignal });
    for (const { Key: key } of page.Contents ?? []) if (key !== undefined) keys.push(key.slice(prefix.length));
    const following = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    if (following !== undefined && following === token) throw endless(bucket);
    token = following;
  } while (token !== undefined);
  return keys.sort();
}

const endless = (bucket: string): ThreadfoldError =>
  new ThreadfoldError("STORE_UNAVAILABLE", `The bucket ${bucket} lists the same page again and again.`, {
    details: { bucket },
  });

function bucketSilent(limit: TimeLimit): ThreadfoldError {
  const { message, hint, details } = timedOut(limit);
  return new ThreadfoldError("STORE_UNAVAILABLE", message, { hint, details });
}

/** A client of the host's own may be of another copy of the SDK, whose classes are other ones. */
const isServiceError = (error: unknown): error is S3ServiceException =>
  error instanceof Error && "$fault" in error && "$metadata" in error;

const statusOf = (error: unknown): number | undefined =>
  isServiceError(error) ? error.$metadata.httpStatusCode : undefined;

async function guarded<Result>(bucket: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (ThreadfoldError.isInstance(cause)) throw cause;
    const reason = isServiceError(cause) ? `${cause.name}, ${statusOf(cause)}` : codeOf(cause);
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The bucket ${bucket} cannot be used now: ${reason}.`, {
      hint: "Check the endpoint, region and credentials, and that the bucket is there.",
      details: { bucket },
    });
  }
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.name : "unknown");
}
