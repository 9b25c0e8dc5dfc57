/** SQLSTATE of what is refused because its thread was erased. */
export const ERASED_STATE = "TF001";

/** Tables of an erased thread that nothing can be added to. The journal is none of them: it holds the proof. */
const CLOSED_TABLES = ["entries", "plans", "artifacts", "recall_passages"];

/**
 * What the second version adds: threads can be erased and expired artifacts swept, by whoever may use the store. No role
 * and no setting turns the guards off for that. They say themselves what may happen: content becomes empty once its thread
 * is marked as erased, and an artifact goes once it has expired by the server's clock.
 */
export const VERSION_2 = `
-- Threads whose content was erased.
CREATE TABLE @.erasures (
  thread_key bigint PRIMARY KEY,
  tenant     text COLLATE "C" NOT NULL,
  FOREIGN KEY (thread_key, tenant) REFERENCES @.threads (thread_key, tenant)
);
CREATE TRIGGER erasures_no_update_or_delete BEFORE UPDATE OR DELETE ON @.erasures
  FOR EACH ROW EXECUTE FUNCTION @.refuse_change();
CREATE TRIGGER erasures_no_truncate BEFORE TRUNCATE ON @.erasures FOR EACH STATEMENT EXECUTE FUNCTION @.refuse_change();

CREATE FUNCTION @.refuse_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh JOIN @.erasures USING (thread_key)) THEN
    RAISE EXCEPTION 'the thread was erased' USING ERRCODE = '${ERASED_STATE}';
  END IF;
  RETURN NULL;
END $$;
${CLOSED_TABLES.map(refuseErased).join("")}
-- Milliseconds since the epoch, and null for never: what the store reckons, down to the fractions that it drops and the
-- year 0 that PostgreSQL calls 1 BC.
CREATE FUNCTION @.expires_at(created_at text, ttl_seconds double precision) RETURNS double precision
LANGUAGE sql STABLE AS $$
  SELECT (extract(epoch FROM (CASE WHEN whole LIKE '0000-%' THEN '0001' || substr(whole, 5) || ' BC' ELSE whole END)::timestamptz)
    * 1000)::double precision + ttl_seconds * 1000
  FROM (SELECT regexp_replace(created_at, '([.][0-9]{3})[0-9]+', '\\1') AS whole) AS given
$$;

CREATE FUNCTION @.has_expired(created_at text, ttl_seconds double precision) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(@.expires_at(created_at, ttl_seconds) <= extract(epoch FROM clock_timestamp()) * 1000, false)
$$;

CREATE FUNCTION @.only_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF TG_TABLE_NAME = 'receipts' THEN OLD.request_digest := ''; ELSE OLD.body := ''; END IF;
    IF NEW IS NOT DISTINCT FROM OLD AND EXISTS (SELECT 1 FROM @.erasures WHERE thread_key = OLD.thread_key) THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE FUNCTION @.only_emptied_or_expired() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  artifact @.artifacts%ROWTYPE;
BEGIN
  SELECT * INTO artifact FROM @.artifacts WHERE artifact_key = OLD.artifact_key;
  IF TG_OP = 'UPDATE' THEN
    OLD.content := '';
    IF NEW IS NOT DISTINCT FROM OLD AND EXISTS (SELECT 1 FROM @.erasures WHERE thread_key = artifact.thread_key) THEN
      RETURN NEW;
    END IF;
  ELSIF @.has_expired(artifact.created_at, artifact.ttl_seconds) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE FUNCTION @.only_expired() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF @.has_expired(OLD.created_at, OLD.ttl_seconds) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
${["entry_bodies", "plan_bodies", "receipts"].map((table) => guardBy(table, "UPDATE OR DELETE", "only_emptied")).join("")}
${guardBy("artifact_contents", "UPDATE OR DELETE", "only_emptied_or_expired")}${guardBy("artifacts", "DELETE", "only_expired")}
-- Storing content again never shortens its time: else whoever may renew could have it swept early.
CREATE FUNCTION @.keep_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(@.expires_at(NEW.created_at, NEW.ttl_seconds), 'Infinity')
    < coalesce(@.expires_at(OLD.created_at, OLD.ttl_seconds), 'Infinity') THEN
    RAISE EXCEPTION 'artifacts are kept as long as was said';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER artifacts_keep_time BEFORE UPDATE ON @.artifacts FOR EACH ROW EXECUTE FUNCTION @.keep_time();
`;

/** One look at the end of a statement, however many rows it adds. */
function refuseErased(table: string): string {
  return (
    `CREATE TRIGGER ${table}_not_erased AFTER INSERT ON @.${table} REFERENCING NEW TABLE AS fresh ` +
    "FOR EACH STATEMENT EXECUTE FUNCTION @.refuse_erased();\n"
  );
}

/** Puts a guard that knows of erasures and sweeps in the place of the one that refused every change. */
function guardBy(table: string, verbs: string, decides: string): string {
  const name = `${table}_no_${verbs.toLowerCase().replaceAll(" ", "_")}`;
  return (
    `DROP TRIGGER ${name} ON @.${table};\n` +
    `CREATE TRIGGER ${name} BEFORE ${verbs} ON @.${table} FOR EACH ROW EXECUTE FUNCTION @.${decides}();\n`
  );
}
