import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadChart, memoryFiles, type RecordedValue, renderChart, renderRecorded } from '../index.ts';

const release = { name: 'r', namespace: 'default' };

/** The text of all manifests, and what was recorded. */
function render(files: Record<string, string>, earlier: readonly RecordedValue[] = []) {
  const chart = loadChart(memoryFiles({ 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n', ...files }));
  const { result, used, fresh } = renderRecorded(earlier, (recorder) =>
    renderChart({ chart, values: new Map(), release, recorder }),
  );
  const lines = result.manifests.flatMap(({ content }) => content.split('\n'));
  const fields = lines.flatMap((line) => (line.includes(': ') ? [line.trim().split(': ') as [string, string]] : []));
  return { fields: Object.fromEntries(fields), used: JSON.parse(JSON.stringify(used)) as RecordedValue[], fresh };
}

const two = 'first: {{ randAlphaNum 16 }}\nsecond: {{ randAlphaNum 16 }}\n';

/** Edits that keep every value: name, files before, files after. */
const keeping: readonly [string, Record<string, string>, Record<string, string>][] = [
  [
    'lines and other calls above',
    { 'templates/a.yaml': two },
    { 'templates/a.yaml': `# a comment\nzero: {{ randAlphaNum 16 }}\n${two}` },
  ],
  ['indentation', { 'templates/a.yaml': two }, { 'templates/a.yaml': `data:\n${two.replace(/^/gm, '  ')}` }],
  ['the order of calls', { 'templates/a.yaml': two }, { 'templates/a.yaml': two.split('\n').reverse().join('\n') }],
  [
    'the line itself',
    { 'templates/a.yaml': two },
    { 'templates/a.yaml': two.replace('first: {{ randAlphaNum 16 }}', 'first: {{ print (randAlphaNum 16) }}') },
  ],
  ['the name of the file', { 'templates/a.yaml': two }, { 'templates/b.yaml': two }],
  [
    'who else includes a helper',
    {
      'templates/_h.tpl': '{{ define "pw" }}{{ randAlphaNum 16 }}{{ end }}',
      'templates/b.yaml': 'first: {{ include "pw" . }}\nsecond: {{ include "pw" . }}\n',
    },
    {
      'templates/_other.tpl': '{{ define "pw" }}{{ randAlphaNum 16 }}{{ end }}',
      'templates/a.yaml': 'zero: {{ include "pw" . }}\n',
      'templates/b.yaml': 'third: {{ include "pw" . }}\nfirst: {{ include "pw" . }}\nsecond: {{ include "pw" . }}\n',
    },
  ],
  [
    'the items of a list and of a map',
    {
      'values.yaml': 'users: [bob, cleo]\nteams: {b: {}, c: {}}\nsites: [{name: x, port: 1}]\n',
      'templates/a.yaml':
        '{{ range .Values.users }}\nuser-{{ . }}: {{ randAlphaNum 16 }}\n{{ end }}{{ range $k, $v := .Values.teams }}\nteam-{{ $k }}: {{ randAlphaNum 16 }}\n{{ end }}{{ range .Values.sites }}\nsite-{{ .name }}: {{ randAlphaNum 16 }}\n{{ end }}',
    },
    {
      'values.yaml': 'users: [anna, bob, cleo]\nteams: {a: {}, b: {}, c: {}}\nsites: [{name: w}, {name: x, port: 2}]\n',
      'templates/a.yaml':
        '{{ range .Values.users }}\nuser-{{ . }}: {{ randAlphaNum 16 }}\n{{ end }}{{ range $k, $v := .Values.teams }}\nteam-{{ $k }}: {{ randAlphaNum 16 }}\n{{ end }}{{ range .Values.sites }}\nsite-{{ .name }}: {{ randAlphaNum 16 }}\n{{ end }}',
    },
  ],
  [
    'an authority and the certificate that it signed, both moved and edited',
    {
      'templates/a.yaml':
        '{{ $ca := genCA "ca" 365 }}\nca: {{ $ca.Cert | b64enc }}\n{{ $c := genSignedCert "x" nil nil 30 $ca }}\ncert: {{ $c.Cert | b64enc }}\n',
    },
    {
      'templates/a.yaml':
        '\n\n{{- $ca := genCA "ca" 365 }}\nca: {{ $ca.Cert | b64enc | quote | trimAll "\\"" }}\n{{- $cert := genSignedCert "x" nil nil 30 $ca }}\ncert: {{ $cert.Cert | b64enc }}\n',
    },
  ],
];

for (const [name, before, after] of keeping) {
  test(`${name} may change, and every value stays`, () => {
    const one = render(before);
    assert.ok(Object.keys(one.fields).length > 1);
    const other = render(after, one.used);
    for (const [field, value] of Object.entries(one.fields)) assert.equal(other.fields[field], value, field);
    const values = Object.values(other.fields);
    assert.equal(new Set(values).size, values.length, 'no value is given twice');
    const again = render(after, other.used);
    assert.deepEqual([again.fields, again.fresh.size], [other.fields, 0]);
  });
}

test('other arguments give another value, and another user of a list never gets the password of one who left', () => {
  const template = '{{ range .Values.users }}\n{{ . }}: {{ randAlphaNum 16 }}\n{{ end }}';
  const one = render({ 'values.yaml': 'users: [anna]\n', 'templates/a.yaml': template });
  const two = render({ 'values.yaml': 'users: [bob]\n', 'templates/a.yaml': template }, one.used);
  assert.notEqual(two.fields.bob, one.fields.anna);
  const longer = render(
    { 'values.yaml': 'users: [anna]\n', 'templates/a.yaml': template.replace('16', '24') },
    one.used,
  );
  assert.equal(longer.fields.anna?.length, 24);
});

test('another chart of the same release never gets the values of one that left', () => {
  const one = render({ 'templates/a.yaml': two });
  const chart = 'apiVersion: v2\nname: other\nversion: 0.1.0\n';
  const other = render({ 'Chart.yaml': chart, 'templates/a.yaml': two }, one.used);
  assert.notEqual(other.fields.first, one.fields.first);
});
