import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { S3Client } from "@aws-sdk/client-s3";
import { keepLaws } from "@threadfold/core/laws";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { metadata, START_MS, THREAD } from "../laws/sample-data.ts";
import { storeLaws } from "../laws/store-laws.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { storeWithArtifacts } from "../open-store.ts";
import type { ClosableArtifacts } from "../shared/object-artifacts.ts";
import { type S3Server, startS3Server, startSilentServer } from "../testing/services.ts";
import { openS3Artifacts, type S3ArtifactsOptions } from "./s3-artifacts.ts";

let server: S3Server;
beforeAll(async () => void (server = await startS3Server()));
afterAll(() => server.close());

const open = (options: S3ArtifactsOptions = {}, address = "s3://bucket/some/prefix"): Promise<ClosableArtifacts> =>
  openS3Artifacts(address, {
    client: new S3Client({
      region: "eu-central-1",
      endpoint: server.endpoint,
      forcePathStyle: true,
      credentials: { accessKeyId: "id", secretAccessKey: "key" },
    }),
    ...options,
  });

keepLaws(
  "memory with artifacts in S3 store",
  storeLaws({
    open: async ({ clock }) => {
      server.objects.clear();
      return storeWithArtifacts(createMemoryStore({ clock }), await open({ clock }));
    },
  }),
  { describe, it },
);

describe("artifacts in S3", () => {
  let artifacts: ClosableArtifacts;
  beforeEach(async () => {
    server.objects.clear();
    server.answers.length = 0;
    artifacts = await open();
    return () => artifacts.close();
  });

  it("never overwrite an object, so that the first content and every metadata version stay", async () => {
    const id = await artifacts.store("content", metadata());
    const before = new Map(server.objects);
    const other = await open();
    await Promise.all([
      artifacts.store("content", metadata({ sensitivity: "confidential" })),
      other.store("content", metadata({ sensitivity: "restricted" })),
    ]);
    expect(server.answers).toContain("PUT 412");
    for (const [key, bytes] of before) expect(server.objects.get(key)).toEqual(bytes);
    expect((await other.getMetadata(id))?.sensitivity).toBe("restricted");
    expect(await other.list(THREAD)).toEqual([id]);
    await other.close();
  });

  it("R19 have object keys without readable names, and are separate for tenants of one bucket", async () => {
    const one = await open({ tenantId: "tenant-one" });
    const id = await one.store("a secret text", metadata({ tenantId: "tenant-one" }));
    for (const key of server.objects.keys()) expect(key).toMatch(/^\/bucket\/some\/prefix\/[0-9a-z/_-]+$/);
    expect([...server.objects.keys()].join()).not.toMatch(/tenant-one|thread-a|secret/);
    const two = await open({ tenantId: "tenant-two" });
    expect(await two.retrieve(id)).toBeNull();
    expect(await two.list(THREAD)).toEqual([]);
    await one.close();
    await two.close();
  });

  it("R11 are not returned when they were changed in the bucket", async () => {
    const id = await artifacts.store("content", metadata());
    for (const key of server.objects.keys())
      if (key.includes("/contents/")) server.objects.set(key, Buffer.from("other"));
    await expect(artifacts.retrieve(id)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    for (const key of server.objects.keys()) if (key.includes("/records/")) server.objects.set(key, Buffer.from("{"));
    await expect(artifacts.getMetadata(id)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  it("survive a briefly busy service, and fail with STORE_UNAVAILABLE when it stays away", async () => {
    server.failNext(2, 503);
    const id = await artifacts.store("content", metadata());
    expect((await artifacts.retrieve(id))?.content).toBe("content");
    server.failNext(100, 503);
    await expect(artifacts.retrieve(id)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", retryable: true });
    server.failNext(0, 503);
    const nowhere = await open({ clock: { now: () => START_MS } }, "s3://bucket");
    server.failNext(100, 403);
    await expect(nowhere.store("content", metadata())).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    server.failNext(0, 503);
    await nowhere.close();
  });

  it("are not stored again as if whole when the bucket's copy is damaged", async () => {
    await artifacts.store("content", metadata());
    for (const key of server.objects.keys())
      if (key.includes("/contents/")) server.objects.set(key, Buffer.from("cont"));
    await expect(artifacts.store("content", metadata())).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  it.each<[string, (bytes: Buffer) => Buffer | null]>([
    ["half of", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["something other than", (bytes) => Buffer.from(bytes.toString().replace(/./u, "?"))],
    ["nothing of", () => null],
  ])("are not acknowledged when the service keeps %s what it was sent", async (_, keep) => {
    for (const [index, kind] of ["/contents/", "/records/", "/threads/"].entries()) {
      const content = `content ${index}`;
      const set = server.objects.set.bind(server.objects);
      server.objects.set = (key, bytes) => {
        const kept = key.includes(kind) ? keep(bytes) : bytes;
        return kept === null ? server.objects : set(key, kept);
      };
      const stored = artifacts.store(content, metadata());
      // A place has no bytes that could be other ones.
      if (kind === "/threads/" && keep(Buffer.alloc(0)) !== null) await stored;
      else await expect(stored, kind).rejects.toMatchObject({ code: "STORE_CORRUPT" });
      server.objects.set = set;
    }
  });

  it("fail after requestTimeoutMs when the service answers nothing or only half", async () => {
    const half = "HTTP/1.1 200 OK\r\ncontent-type: application/xml\r\ncontent-length: 1000\r\n\r\n<ListBucket";
    for (const answer of ["", half]) {
      const silent = await startSilentServer(answer);
      const address = `s3://bucket?region=eu-west-1&endpoint=http://127.0.0.1:${silent.port}`;
      const client = new S3Client({
        ...{ region: "eu-central-1", endpoint: `http://127.0.0.1:${silent.port}`, forcePathStyle: true },
        credentials: { accessKeyId: "id", secretAccessKey: "key" },
      });
      const LIMIT = 200;
      const mute = await openS3Artifacts(address, { client, requestTimeoutMs: LIMIT });
      const artifactId = await artifacts.store("content", metadata());
      const calls = [
        () => mute.store("content", metadata()),
        () => mute.list(THREAD),
        () => mute.retrieve(artifactId),
        () => mute.getMetadata(artifactId),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({
          code: "STORE_UNAVAILABLE",
          // No call takes the time that a listing of many pages has: that would be named here.
          details: { waitedFor: "the bucket bucket", option: "requestTimeoutMs", milliseconds: LIMIT },
        });
      }
      await mute.close();
      await silent.close();
    }
    await expect(open({ requestTimeoutMs: 0 })).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it("are not listed forever when the service repeats the same page", async () => {
    const page = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>";
    const loop = createServer((_, response) => void response.end(`${page}</ListBucketResult>`)).listen(0, "127.0.0.1");
    await once(loop, "listening");
    const endpoint = `http://127.0.0.1:${(loop.address() as AddressInfo).port}`;
    const client = new S3Client({
      ...{ region: "eu-central-1", endpoint, forcePathStyle: true },
      credentials: { accessKeyId: "id", secretAccessKey: "key" },
    });
    const looping = await open({ client });
    await expect(looping.list(THREAD)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await looping.close();
    loop.close();
  });

  it("accept only s3 addresses, without credentials or unknown options", async () => {
    for (const address of ["s3://", "s3:bucket", "https://bucket", "s3://key:secret@bucket", "s3://bucket?acl=x", ""]) {
      await expect(openS3Artifacts(address)).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.not.stringContaining("secret"),
      });
    }
    await (await openS3Artifacts("s3://bucket?region=eu-west-1&endpoint=http://127.0.0.1:9")).close();
  });
});
