import assert from "node:assert/strict";
import { type ArtifactMetadata, artifactIdOf, asArtifactId, type SecurityContext } from "@threadfold/core";
import { HOSTILE_TEXTS, metadata, OTHER_THREAD, START_MS, THREAD } from "./sample-data.ts";
import { assertFrozen, refuses, type StoreCheck } from "./store-check.ts";

const requester = (tenantId: string | null): SecurityContext => ({ requesterId: "someone", tenantId, permissions: [] });

export const artifactLaws: readonly StoreCheck[] = [
  {
    name: "spec-131 spec-132 content comes back as it was, under an id that its thread and content determine",
    async holds({ store, isSealed }) {
      for (const content of [...HOSTILE_TEXTS, "é".repeat(5_000_000)]) {
        const id = await store.artifacts.store(content, metadata());
        if (!isSealed) assert.equal(id, artifactIdOf(THREAD, null, content));
        const artifact = await store.artifacts.retrieve(id);
        assert.ok(artifact !== null && artifact.content === content, "the content is the same");
        assert.deepEqual({ ...artifact.metadata }, { ...metadata(), bytes: Buffer.byteLength(content) });
        assert.deepEqual(await store.artifacts.getMetadata(id), artifact.metadata);
        assertFrozen(artifact);
      }
    },
  },
  {
    name: "storing twice is the same as storing once, and equal content of another thread or tenant is another artifact",
    async holds({ store }) {
      const first = await store.artifacts.store("content", metadata());
      const second = await store.artifacts.store("second", metadata());
      assert.equal(await store.artifacts.store("content", metadata()), first);
      const elsewhere = await store.artifacts.store("content", metadata({ threadId: OTHER_THREAD }));
      const foreign = await store.artifacts.store("content", metadata({ tenantId: "tenant" }));
      assert.equal(new Set([first, second, elsewhere, foreign]).size, 4);
      assert.deepEqual(await store.artifacts.list(THREAD), [first, second, foreign]);
      assert.deepEqual(await store.artifacts.list(OTHER_THREAD), [elsewhere]);
    },
  },
  {
    name: "artifacts of one media type can be listed separately",
    async holds({ store }) {
      const first = await store.artifacts.store("content", metadata({ mediaType: "text/title" }));
      const other = await store.artifacts.store("second", metadata());
      const last = await store.artifacts.store("third", metadata({ mediaType: "text/title" }));
      assert.deepEqual(await store.artifacts.list(THREAD, undefined, "text/title"), [first, last]);
      assert.deepEqual(await store.artifacts.list(THREAD, requester(null), "text/title"), [first, last]);
      assert.deepEqual(await store.artifacts.list(THREAD, undefined, "text/none"), []);
      assert.deepEqual(await store.artifacts.list(THREAD), [first, other, last]);
    },
  },
  {
    name: "R24 spec-135 an artifact is readable until the last millisecond of its lifetime, and never after",
    async holds({ store, clock }) {
      const id = await store.artifacts.store("content", metadata({ ttlSeconds: 60 }));
      for (const [offset, readable] of [
        [-1, true],
        [0, false],
        [1, false],
        [-60_000, true],
        [1e9, false],
        [Number.NaN, false],
      ] as const) {
        clock.set(START_MS + 60_000 + offset);
        assert.equal((await store.artifacts.retrieve(id)) !== null, readable, `at ${offset} ms`);
        assert.equal((await store.artifacts.getMetadata(id)) !== null, readable, `metadata at ${offset} ms`);
        assert.deepEqual(await store.artifacts.list(THREAD), readable ? [id] : [], `the list at ${offset} ms`);
      }
    },
  },
  {
    name: "storing expired content again makes it readable again, and never shortens its time",
    async holds({ store, clock }) {
      const id = await store.artifacts.store("content", metadata({ ttlSeconds: 60 }));
      clock.set(START_MS + 100_000);
      const later = new Date(START_MS + 100_000).toISOString();
      await store.artifacts.store("content", metadata({ createdAt: later, ttlSeconds: 60 }));
      await store.artifacts.store("content", metadata({ createdAt: later, ttlSeconds: 1 }));
      clock.set(START_MS + 159_999);
      assert.equal((await store.artifacts.retrieve(id))?.metadata.createdAt, later);
      clock.set(START_MS + 160_000);
      assert.equal(await store.artifacts.retrieve(id), null);
      await store.artifacts.store("content", metadata({ ttlSeconds: null }));
      assert.equal((await store.artifacts.retrieve(id))?.metadata.ttlSeconds, null);
    },
  },
  {
    name: "storing again never lowers the sensitivity of content",
    async holds({ store }) {
      const steps: readonly (readonly [ArtifactMetadata["sensitivity"], ArtifactMetadata["sensitivity"]])[] = [
        ["internal", "internal"],
        ["public", "internal"],
        ["restricted", "restricted"],
        ["confidential", "restricted"],
      ];
      for (const [given, expected] of steps) {
        const id = await store.artifacts.store("content", metadata({ sensitivity: given }));
        assert.equal((await store.artifacts.getMetadata(id))?.sensitivity, expected);
      }
    },
  },
  {
    name: "R19 spec-134 what belongs to another tenant looks as if it had never existed",
    async holds({ store }) {
      const own = await store.artifacts.store("content", metadata({ tenantId: "own" }));
      const nobodys = await store.artifacts.store("content", metadata());
      const expectations = [
        [requester("own"), [own]],
        [requester("other"), []],
        [requester("OWN"), []],
        [requester(null), [nobodys]],
        [undefined, [own, nobodys]],
      ] as const;
      for (const [who, visible] of expectations) {
        assert.deepEqual(await store.artifacts.list(THREAD, who), visible);
        for (const id of [own, nobodys, asArtifactId("artifact_0123456789abcdef01234567")]) {
          const seen = (visible as readonly string[]).includes(id);
          const whose = `artifact ${id} for ${who === undefined ? "nobody in particular" : `tenant ${who.tenantId}`}`;
          assert.equal((await store.artifacts.retrieve(id, who)) !== null, seen, whose);
          assert.equal((await store.artifacts.getMetadata(id, who)) !== null, seen, `metadata of ${whose}`);
        }
      }
    },
  },
  {
    name: "an id that was never issued finds nothing",
    async holds({ store }) {
      await store.artifacts.store("content", metadata());
      for (const id of ["", "artifact_", "../../etc/passwd", "__proto__", "%", "\ud800"].map(asArtifactId)) {
        assert.equal(await store.artifacts.retrieve(id), null, `id ${JSON.stringify(id)}`);
        assert.equal(await store.artifacts.getMetadata(id), null, `id ${JSON.stringify(id)}`);
      }
      assert.deepEqual(await store.artifacts.list(OTHER_THREAD), []);
    },
  },
  {
    name: "content and metadata that could not come back as they were are refused",
    async holds({ store }) {
      const bad: readonly Partial<Record<keyof ArtifactMetadata, unknown>>[] = [
        { createdAt: "yesterday" },
        { createdAt: "2025-01-01T00:00:00+02:00" },
        { ttlSeconds: -1 },
        { ttlSeconds: Number.NaN },
        { ttlSeconds: Number.POSITIVE_INFINITY },
        { sensitivity: "secret" },
        { tenantId: "a\0b" },
        { tenantId: "\ud800" },
        { mediaType: undefined },
        { threadId: "" },
      ];
      for (const given of bad) {
        const [field] = Object.entries(given);
        await refuses(
          "INVALID_CONFIG",
          () => store.artifacts.store("content", metadata(given as Partial<ArtifactMetadata>)),
          `${field?.[0]}: ${JSON.stringify(field?.[1])}`,
        );
      }
      await refuses("INVALID_CONFIG", () => store.artifacts.store("lone \udfff surrogate", metadata()));
      assert.deepEqual(await store.artifacts.list(THREAD), []);
    },
  },
];
