import type { Case, Step } from './run-case.ts';
import { core, post, put, quiet, together } from './steps.ts';

const YAML = { contentType: 'application/yaml' };
const maps = `${core}/configmaps`;
const MODES = ['Strict', 'Warn', 'Ignore', ''] as const;
const yaml = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  labels:\n    a: x\n    a: z\ndata:\n  k: one\n  k: two\nextra: 1\n`;
const json = (name: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","labels":{"a":"x","a":"y"}},"data":{"k":"one","k":"two"},"extra":1}`;
const patch = (type: string, name: string, body: string, mode = ''): Step => ({
  method: 'PATCH',
  path: `${maps}/${name}?fieldManager=x&fieldValidation=${mode}`,
  body,
  contentType: `application/${type}`,
});
const PATCHES = ['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json', 'apply-patch+yaml'];
const start = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cut"';
const settings = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\n';

/** Bodies that have keys twice, or cannot be read. */
export const bodyCases: readonly Case[] = [
  {
    name: 'duplicate-keys',
    steps: [
      ...MODES.map((mode) => post(`${maps}?fieldValidation=${mode}`, yaml(`y${mode.toLowerCase()}`), YAML)),
      ...MODES.map((mode) => post(`${maps}?fieldValidation=${mode}`, json(`j${mode.toLowerCase()}`))),
      post(maps, json('both'), YAML),
      post(maps, '{apiVersion: v1, kind: ConfigMap, metadata: {name: flow}, data: {k: one, k: two}}', YAML),
      post(maps, `${settings}data: {a: 1, b: true, c: null, d: 1.5, e: 2020-01-01, f: 0x10, g: yes}\n`, YAML),
      post(maps, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: r, labels: &l {a: b}, annotations: *l}\n', YAML),
      post(maps, `${settings}---\n${settings}`, YAML),
      ...quiet(post(maps, { metadata: { name: 'p' }, data: { k: 'v' } })),
      ...MODES.flatMap((mode) => [
        patch('merge-patch+json', 'p', '{"data":{"k":"a","k":"b"},"extra":1}', mode),
        patch('strategic-merge-patch+json', 'p', '{"data":{"k":"c","k":"d"},"extra":1}', mode),
        patch('json-patch+json', 'p', `[{"op":"add","op":"replace","path":"/data/k","value":"e${mode}"}]`, mode),
        patch('apply-patch+yaml', 'made', `${settings}data:\n  k: one\n  k: two\nextra: 1\n`, mode),
      ]),
    ],
  },
  {
    name: 'unknown-and-duplicate-keys',
    steps: (['Strict', 'Warn'] as const).flatMap((mode) => {
      const to = `${core}/pods?fieldValidation=${mode}&dryRun=All`;
      const of = (name: string, spec: string, more = '') =>
        `{"apiVersion":"v1","kind":"Pod",${more}"metadata":{"name":"${name}"},"spec":{${spec}}}`;
      const containers = '"containers":[{"name":"c","image":"i"}]';
      return [
        post(to, of('before', `"strange":"x","hostname":"a","hostname":"b",${containers}`)),
        post(to, of('behind', `"hostname":"a","hostname":"b",${containers},"strange":"x"`)),
        post(to, of('twice', `"strange":"x","strange":"y",${containers},"strange":{"a":1,"a":2}`)),
        post(
          to,
          of('deep', `"containers":[{"name":"c","odd":1,"image":"i","image":"j","odd":2}],"even":1`, '"top":[],'),
        ),
        post(to, of('labels', `${containers},"nodeSelector":{"a":"x","b":"y","a":"z"},"strange":1`)),
      ];
    }),
  },
  {
    name: 'unreadable-bodies',
    steps: [
      ...quiet(post(maps, { metadata: { name: 'p' }, data: { k: 'v' } })),
      together(
        ...[`${settings}data:\n\tk: v\n`, '', 'just text', '- a\n- b\n', 'a: b: c', 'a: [b', 'x: "y'].map((body) =>
          post(maps, body, YAML),
        ),
        ...[
          settings,
          `${start}}} x`,
          `${start}}}{}`,
          start,
          `${start},`,
          `${start}:`,
          '{"a" 1}',
          '{a: 1}',
          '[1 2]',
        ].map((body) => post(maps, body)),
        ...['null', '[]', '"x"', '5', '', ' ', 'tru', '{"a":"\u0001"}'].map((body) => post(maps, body)),
        ...PATCHES.flatMap((type) =>
          ['{"a": ', 'x y', '[1,', '"x"', '[]', '', 'a: b: c'].map((body) => patch(type, 'p', body)),
        ),
        ...PATCHES.slice(0, 3).map((type) => patch(type, 'none', 'x y')),
        { method: 'DELETE', path: `${maps}/none`, body: '{"a": ' },
        { method: 'DELETE', path: `${maps}/none`, body: 'x' },
        put(`${maps}/none`, 'x'),
        put(`${maps}/none`, ''),
      ),
    ],
  },
];
