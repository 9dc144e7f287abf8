import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { ResourceActions } from './resource-actions.ts';

const now = Date.UTC(2024, 0, 2, 3, 4, 5);

const widget: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'shop', uid: 'u1', annotations: {} },
  spec: { size: 1, selector: {}, list: [{ empty: {} }] },
};

function actionsOf(text: string, pattern = 'example.com/Widget'): ResourceActions {
  return new ResourceActions([{ pattern, text, key: 'resource.customizations.actions.example.com_Widget' }]);
}

/** The text of settings with one action. */
function settings(action: string, discovery = 'return {go = {}}', more = ''): string {
  const block = (source: string) => source.replace(/^/gm, '      ');
  return `${more}discovery.lua: |\n${block(discovery)}\ndefinitions:\n- name: go\n  action.lua: |\n${block(action)}\n`;
}

function plan(action: string, parameters: Record<string, string> = {}, object = widget) {
  return actionsOf(settings(action)).plan(object, 'go', { parameters, now });
}

function refusal(run: () => unknown): DiagnosisError['diagnosis'] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof DiagnosisError, String(error));
    return error.diagnosis;
  }
  return assert.fail('it was not refused');
}

test('a script that returns the object patches what it changed, and leaves empty objects alone', () => {
  const [effect] = plan('obj.spec.size = 5 obj.metadata.annotations = {} obj.spec.list[2] = {a = 1} return obj');
  assert.deepEqual(effect?.operation === 'patch' && effect.patch, {
    spec: { size: 5, list: [{ empty: {} }, { a: 1 }] },
  });
});

test('parameters are global texts', () => {
  const [effect] = plan('obj.spec.size = tonumber(actionParams["size"]) return obj', { size: '7' });
  assert.deepEqual(effect?.operation === 'patch' && effect.patch, { spec: { size: 7 } });
});

test('a script can create objects and patch beside it', () => {
  const effects = plan(`
local made = {apiVersion = "v1", kind = "ConfigMap", metadata = {name = obj.metadata.name .. "-copy", namespace = "shop"}}
obj.spec.size = 2
return {{operation = "create", resource = made}, {operation = "patch", resource = obj}}`);
  assert.deepEqual(
    effects.map(({ operation, object }) => [operation, object.kind, object.metadata.name]),
    [
      ['create', 'ConfigMap', 'w-copy'],
      ['patch', 'Widget', 'w'],
    ],
  );
});

test('what a script may not return is refused with its key, line and object', () => {
  const table: [string, RegExp][] = [
    ['return "x"', /expect table output from Lua script, not string/],
    ['return {{operation = "delete", resource = obj}}', /unsupported operation: "delete"/],
    ['return {{operation = "create", resource = {kind = "X"}}}', /has no apiVersion, kind or metadata.name/],
    ['return {1}', /an impacted resource is no table/],
    ['local x\nreturn x.y', /<string>:2: attempt to index a non-table object\(nil\) with key 'y'/],
    ['while true do end', /stopped/],
    ['return {', /where an expression was expected/],
  ];
  for (const [source, wanted] of table) {
    const { code, message, place } = refusal(() => plan(source));
    assert.equal(code, 'ActionScriptFailed');
    assert.match(message, wanted);
    assert.equal(place?.field, 'data["resource.customizations.actions.example.com_Widget"]');
  }
});

test('discovery says what there is: state, icon, name and parameters', () => {
  const discovery = `return {
  ["b"] = {},
  ["a"] = {disabled = obj.spec.size > 0, iconClass = "fa fa-x", displayName = "An A", params = {{name = "p", default = "1"}}},
}`;
  assert.deepEqual(actionsOf(settings('return obj', discovery)).available(widget, now), [
    { name: 'a', disabled: true, iconClass: 'fa fa-x', displayName: 'An A', params: [{ name: 'p' }] },
    { name: 'b' },
  ]);
  assert.deepEqual(actionsOf(settings('return obj', 'return {}')).available(widget, now), []);
  assert.match(refusal(() => actionsOf(settings('', 'return {{}}')).available(widget, now)).message, /no names/);
  assert.match(refusal(() => actionsOf(settings('', 'return 1')).available(widget, now)).message, /not number/);
});

test('actions of the settings replace those of the kind, or are merged with them', () => {
  const deployment = { ...widget, apiVersion: 'apps/v1', kind: 'Deployment' };
  const names = (more: string) =>
    actionsOf(
      settings('return obj', 'return {go = {}, pause = {displayName = "Ours"}}', more),
      'apps/Deployment',
    ).available(deployment, now);
  assert.deepEqual(
    names('').map(({ name }) => name),
    ['go', 'pause'],
  );
  const merged = names('mergeBuiltinActions: true\n');
  assert.deepEqual(
    merged.map(({ name }) => name),
    ['go', 'pause', 'restart', 'resume', 'scale'],
  );
  assert.equal(merged.find(({ name }) => name === 'pause')?.displayName, 'Ours');
});

test('settings that cannot be read are refused by their key', () => {
  for (const text of ['- a', 'a: [', 'text']) {
    const { code, place } = refusal(() => actionsOf(text).available(widget, now));
    assert.equal(code, 'ActionsInvalid');
    assert.equal(place?.field, 'data["resource.customizations.actions.example.com_Widget"]');
  }
});

test('an action that is not there is refused with those that are', () => {
  const { code, message } = refusal(() =>
    actionsOf(settings('return obj')).plan(widget, 'stop', { parameters: {}, now }),
  );
  assert.equal(code, 'ActionUnknown');
  assert.match(message, /"stop" is not available for Widget w; available: go/);
});
