import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonMap } from './model/notification.ts';
import { answer } from './oracle/answer.ts';
import { readRecorded } from './oracle/record.ts';

/** Without what says nothing: Go writes the empty fields of its types, and we what was given. */
function meaning(value: Json | undefined): Json | undefined {
  if (value === null || value === undefined || value === '' || value === false) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => meaning(item) ?? null);
  if (typeof value !== 'object') return value;
  const fields: JsonMap = {};
  for (const [name, item] of Object.entries(value)) {
    const kept = meaning(item);
    // Slack's policy has a name for its zero value
    if (kept !== undefined && kept !== 'Post') fields[name] = kept;
  }
  return Object.keys(fields).length === 0 ? undefined : fields;
}

test("subscriptions, triggers and templates give what Argo's engine gave", async () => {
  const recorded = readRecorded();
  assert.ok(recorded.length > 20);
  for (const { question, answer: wanted } of recorded) {
    const given = await answer(question);
    const what = JSON.stringify(question.config);
    // one broken entry stops all of upstream
    if (wanted.told) assert.deepEqual(given.told, wanted.told, what);
    assert.equal(given.failed, wanted.error !== undefined, `${what}: ${wanted.error}`);
    if (wanted.notification)
      assert.deepEqual(meaning(withoutPaths(given.notification)), meaning(wanted.notification), what);
  }
});

/** Go keeps the results of these two apart from what it prints: the texts of the templates are there instead. */
function withoutPaths(notification: JsonMap | undefined): JsonMap {
  const { github, ...rest } = notification ?? {};
  if (!github) return rest;
  const templates = {
    repoURLPath: '{{.app.spec.source.repoURL}}',
    revisionPath: '{{.app.status.operationState.syncResult.revision}}',
  };
  return { ...rest, github: { ...(github as JsonMap), ...templates } };
}
