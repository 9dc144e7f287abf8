import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Health } from '../model/model.ts';
import { healthOf } from './health.ts';
import { type HealthScript, ScriptedHealth } from './scripted-health.ts';

const now = () => Date.UTC(2024, 0, 1);

const widget: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'shop' },
  status: { phase: 'Running', message: 'all is well' },
};

function script(source: string, pattern = 'example.com/Widget', options: Partial<HealthScript> = {}): HealthScript {
  return {
    pattern,
    source,
    openLibraries: false,
    key: 'resource.customizations.health.example.com_Widget',
    ...options,
  };
}

function assess(source: string, object = widget, options: Partial<HealthScript> = {}): Health | undefined {
  return healthOf(object, new ScriptedHealth([script(source, undefined, options)], now));
}

const short = (health: Health | undefined) => health && [health.status, health.message ?? ''];

test('a script decides by the object, and upstream’s rules decide about what it returns', () => {
  const table: [string, ReturnType<typeof short>][] = [
    ['return {status = "Healthy", message = obj.status.message}', ['Healthy', 'all is well']],
    ['local hs = {} hs.status = "Degraded" return hs', ['Degraded', '']],
    ['return {status = "Fine"}', ['Unknown', 'Lua returned an invalid health status']],
    ['return {message = "no status"}', ['Unknown', 'Lua returned an invalid health status']],
    ['return {}', undefined],
    ['return nil', undefined],
    ['local x = 1', undefined],
    ['return {status = 5}', undefined],
    ['return {"Healthy"}', undefined],
    ['return {status = "Progressing", message = ""}', ['Progressing', '']],
    ['return "Healthy"', ['Unknown', 'expect table output from Lua script, not string']],
    [
      'return obj.status.missing.field',
      ['Unknown', "<string>:1: attempt to index a non-table object(nil) with key 'field'"],
    ],
    ['error("no", 0)', ['Unknown', 'no']],
    ['while true do end', ['Unknown', '<string>:1: stopped: it ran for more than 2000000 steps']],
    [
      'return {status = string.format("%s", "Healthy")}',
      ['Unknown', "<string>:1: attempt to index a non-table object(nil) with key 'format'"],
    ],
  ];
  for (const [source, wanted] of table) assert.deepEqual(short(assess(source)), wanted, source);
  assert.deepEqual(short(assess('return {status = string.format("%s", "Healthy")}', widget, { openLibraries: true })), [
    'Healthy',
    '',
  ]);
});

test('a failure names the key, the line, the script and the object', () => {
  const diagnosis = assess('\n\nreturn obj.spec.x')?.diagnosis;
  assert.equal(diagnosis?.code, 'HealthScriptFailed');
  assert.deepEqual(diagnosis?.place, {
    object: 'ConfigMap argocd-cm',
    field: 'data["resource.customizations.health.example.com_Widget"]',
    line: 3,
  });
  assert.match(
    diagnosis?.message ?? '',
    /failed to get resource health for "Widget" with name "w" in namespace "shop"/,
  );
  assert.deepEqual(diagnosis?.evidence.map(({ name, value }) => [name, value]).slice(0, 2), [
    ['object', 'example.com/Widget shop/w'],
    ['script', 'example.com/Widget'],
  ]);
});

test('an exact kind goes before a pattern, a longer pattern before a shorter one, scripts before what is built in', () => {
  const say = (status: string, pattern: string) => script(`return {status = "${status}"}`, pattern);
  const health = new ScriptedHealth(
    [
      say('Unknown', '*'),
      say('Degraded', '*.example.com/*'),
      say('Progressing', 'sub.example.com/*'),
      say('Suspended', 'sub.example.com/Widget'),
      say('Missing', 'apps/Deployment'),
    ],
    now,
  );
  const table: [string, string, string][] = [
    ['sub.example.com/v1', 'Widget', 'Suspended'],
    ['sub.example.com/v2', 'Other', 'Progressing'],
    ['more.example.com/v1', 'Other', 'Degraded'],
    ['v1', 'ConfigMap', 'Unknown'],
    ['apps/v1', 'Deployment', 'Missing'],
  ];
  for (const [apiVersion, kind, wanted] of table)
    assert.equal(healthOf({ ...widget, apiVersion, kind }, health)?.status, wanted, kind);
});

test('an object that is being deleted is Progressing whatever a script says', () => {
  const deleted = { ...widget, metadata: { ...widget.metadata, deletionTimestamp: '2024-01-01T00:00:00Z' } };
  assert.deepEqual(short(assess('return {status = "Healthy"}', deleted)), ['Progressing', 'Pending deletion']);
});

test('what is no Lua does not replace the script that was there before', () => {
  const good = script('return {status = "Healthy"}');
  const bad = script('return {status = ');
  const first = new ScriptedHealth([good], now);
  const second = new ScriptedHealth([bad], now, first);
  const third = new ScriptedHealth([bad], now, second);
  assert.equal(third.custom(widget)?.status, 'Healthy');
  const [problem] = third.problems([{ group: 'example.com', kind: 'Widget' }]);
  assert.equal(problem?.code, 'HealthScriptInvalid');
  assert.equal(problem?.place?.line, 1);
  assert.deepEqual(third.problems([{ group: '', kind: 'ConfigMap' }]), []);
  const alone = new ScriptedHealth([bad], now);
  assert.equal(alone.custom(widget)?.status, 'Unknown');
  assert.match(alone.custom(widget)?.message ?? '', /line:1: found the end of the text/);
});

test('the signature of a kind changes with its script alone', () => {
  const before = new ScriptedHealth([script('return {}'), script('return {}', 'a/B')], now);
  const after = new ScriptedHealth([script('return nil'), script('return {}', 'a/B')], now, before);
  assert.notEqual(before.signature('example.com', 'Widget'), after.signature('example.com', 'Widget'));
  assert.equal(before.signature('a', 'B'), after.signature('a', 'B'));
  assert.equal(before.signature('', 'Pod'), '');
});
