import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flattenToText } from '../params/flatten.ts';
import { normalizeName, slug, slugify } from '../params/names.ts';
import { newParams } from '../params/params.ts';
import { applicationSet } from '../testing/fixed-sources.ts';
import { renderApplication } from './render-application.ts';
import { replacer } from './replace.ts';

const go = (text: string, params: object, options: string[] = []) =>
  replacer({ goTemplate: true, options }, newParams(params as Record<string, unknown>))(text);
const tags = (text: string, params: object) =>
  replacer({ goTemplate: false, options: [] }, newParams(params as Record<string, unknown>))(text);

test('Go templates know Sprig and upstream’s functions, and nothing of the process', () => {
  assert.equal(go('{{ .a | upper }}-{{ default "x" .b }}', { a: 'b' }), 'B-x');
  assert.equal(
    go('{{ normalize .a }} {{ slugify .a }} {{ .a | slugify 6 }} {{ .a | slugify 6 false }}', { a: 'Feat/A_b long' }),
    'feat-a-b-long feat-a-b-long feat-a feat-a',
  );
  assert.equal(go('{{ toYaml .a }}', { a: { b: [1, 'x'] } }), 'b:\n- 1\n- x');
  assert.equal(go('{{ (fromYaml .a).b }} {{ index (fromYamlArray "[7, 8]") 1 }}', { a: 'b: c' }), 'c 8');
  assert.equal(go('{{ index .labels "a/b" }}', { labels: { 'a/b': 'c' } }), 'c');
  for (const name of ['env "HOME"', 'expandenv "x"', 'getHostByName "x"'])
    assert.throws(() => go(`{{ ${name} }}`, {}), /function ".*" not defined/);
});

test('a missing parameter is nothing, or an error that names it', () => {
  assert.equal(go('[{{ .x }}]', {}), '[<no value>]');
  assert.throws(() => go('[{{ .x }}]', {}, ['missingkey=error']), /map has no entry for key "x"/);
  assert.throws(() => go('{{ .x }}', {}, ['missingkey=odd']), /unrecognized option: missingkey=odd/);
  assert.throws(() => go('{{ .x', {}), /failed to parse template \{\{ \.x: template: base:1: unclosed action/);
});

test('the older dialect replaces texts by name, and leaves what it does not know', () => {
  assert.equal(tags('{{a}} {{ b.c }} {{d}}', { a: '1', 'b.c': '2' }), '1 2 {{d}}');
  assert.equal(tags('{{n}}', { n: 5 }), '{{n}}');
  assert.equal(tags('a {{\nb }}', { b: '1' }), 'a {{\nb }}');
  assert.throws(() => tags('{{a}} {{b', { a: '1' }), /Cannot find end tag="}}"/);
});

test('names as upstream makes them', () => {
  assert.equal(normalizeName('-A_b/C.d-'), 'a-b-c.d');
  assert.equal(normalizeName('x'.repeat(300)).length, 253);
  assert.equal(slug('feature/Ünï_code & more'), 'feature-uni-code-and-more');
  assert.equal(
    slugify('feat/a_really+long_pull_request_name_to_test_argo_slugification_and_branch_name_shortening_feature'),
    'feat-a-really-long-pull-request-name-to-test-argo',
  );
  assert.equal(slugify('feat/testwithsmarttruncateenabledramdomlonglistofcharacters', { maxLength: 50 }), 'feat');
});

test('nested values are flat by dots; numbers read as Go prints them', () => {
  assert.deepEqual(
    { ...flattenToText({ a: { b: [1, true, null] }, c: {}, d: 1e21, e: 0.5 }) },
    {
      'a.b.0': '1',
      'a.b.1': 'true',
      'a.b.2': '<nil>',
      d: '1e+21',
      e: '0.5',
    },
  );
});

test('an Application is filled whole: keys of maps, values objects; its namespace is the set’s', () => {
  const set = applicationSet({
    goTemplate: true,
    template: {
      metadata: { name: '{{.n}}', namespace: 'elsewhere', labels: { '{{.n}}-key': '{{.n}}' } },
      spec: {
        project: 'default',
        source: { repoURL: 'r', path: 'p', helm: { valuesObject: { deep: [{ v: '{{.n}}' }], port: 80 } } },
        destination: { name: 'in-cluster' },
      },
    },
  });
  const made = renderApplication(set, set.spec.template, newParams({ n: 'x' }));
  assert.deepEqual(
    [made.metadata.name, made.metadata.namespace, made.metadata.labels?.['x-key']],
    ['x', 'argocd', 'x'],
  );
  assert.deepEqual(JSON.parse(JSON.stringify(made.spec.source?.helm)), {
    valuesObject: { deep: [{ v: 'x' }], port: 80 },
  });
  assert.deepEqual(made.metadata.finalizers, ['resources-finalizer.argocd.argoproj.io']);
  const preserving = applicationSet({ ...set.spec, syncPolicy: { preserveResourcesOnDeletion: true } });
  assert.equal(renderApplication(preserving, set.spec.template, newParams({ n: 'x' })).metadata.finalizers, undefined);
});

test('templatePatch merges YAML or JSON with tabs, and never changes the project', () => {
  const patched = (templatePatch: string) => {
    const set = applicationSet({ goTemplate: true, templatePatch });
    set.spec.template.metadata.name = '{{.name}}';
    return renderApplication(set, set.spec.template, newParams({ name: 'x', auto: true, list: ['a'] }));
  };
  const yaml = patched(
    'spec:\n  project: other\n  {{- if .auto }}\n  syncPolicy:\n    automated: {prune: {{ .auto }}}\n  {{- end }}\n',
  );
  assert.deepEqual([yaml.spec.project, yaml.spec.syncPolicy], ['default', { automated: { prune: true } }]);
  const json = patched('{\n\t"metadata": {\n\t\t"annotations": {"a": "{{.name}}"}, "finalizers": ["more"]\n\t}\n}');
  assert.equal(json.metadata.annotations?.a, 'x');
  assert.deepEqual(json.metadata.finalizers, ['more', 'resources-finalizer.argocd.argoproj.io']);
  assert.throws(() => patched('[1]'), /invalid templatePatch/);
  assert.throws(() => patched('{"a"'), /error while converting template to json/);
});
