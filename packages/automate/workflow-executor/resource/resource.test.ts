import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReached, readConditions } from './conditions.ts';
import { readFlags } from './flags.ts';
import { printPath } from './json-path.ts';

const job = {
  metadata: { name: 'j', labels: { 'app.kubernetes.io/name': 'x' } },
  status: {
    succeeded: 2,
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Complete', status: 'False' },
    ],
  },
};

test('conditions are selectors over the fields of an object', () => {
  const reached = (success: string, failing = '') => isReached(job, readConditions(success, failing));
  assert.ok(reached('status.succeeded > 1'));
  assert.ok(!reached('status.succeeded > 2'));
  assert.ok(reached('status.phase in (Running, Succeeded)'));
  assert.ok(reached('status.phase != Failed'));
  assert.ok(reached('!status.failed, status.phase == Running'));
  assert.ok(reached(''));
  assert.ok(!reached('status.__proto__'));
  assert.ok(!reached('status.phase == Succeeded', 'status.failed > 0'));
  assert.throws(
    () => reached('', 'status.phase == Running'),
    /failure condition 'status.phase=Running' evaluated true/,
  );
  assert.throws(() => reached('status.phase ~ x'), /successCondition 'status.phase ~ x' failed to parse/);
});

test("kubectl's paths print what they find", () => {
  assert.equal(printPath(job, '{.metadata.name}'), 'j');
  assert.equal(printPath(job, 'name={.metadata.name}, {.status.succeeded}'), 'name=j, 2');
  assert.equal(printPath(job, '{.status.conditions[*].type}'), 'Ready Complete');
  assert.equal(printPath(job, '{.status.conditions[-1].type}'), 'Complete');
  assert.equal(printPath(job, '{.status.conditions[?(@.type=="Ready")].status}'), 'True');
  assert.equal(printPath(job, '{.metadata.labels[\'app.kubernetes.io/name\']}{"\\n"}'), 'x\n');
  assert.equal(printPath(job, '{.status.conditions[0]}'), '{"status":"True","type":"Ready"}');
  assert.equal(printPath(job, '{.metadata.uid}'), '');
  assert.throws(() => printPath(job, '{.metadata'), /no } where/);
});

test('flags of kubectl are understood or refused', () => {
  assert.deepEqual(readFlags(['configmap', 'settings', '--namespace', 'other', '--ignore-not-found']), {
    words: ['configmap', 'settings'],
    namespace: 'other',
    serverSide: false,
    force: false,
    fieldManager: 'argo-workflows',
    ignoreNotFound: true,
    dryRun: false,
  });
  assert.equal(readFlags(['--cascade=orphan']).cascade, 'Orphan');
  assert.equal(readFlags(['--grace-period 0']).gracePeriod, 0);
  assert.ok(readFlags(['--server-side', '--force-conflicts', '--validate=false']).serverSide);
  assert.throws(() => readFlags(['--prune']), /The flag --prune of the resource template is not known/);
});

const thing = {
  metadata: { annotations: { html: '<a&b>' }, labels: { 'app.kubernetes.io/name': 'x', b: '1' }, name: 'thing' },
  data: { z: 'last', a: 'first' },
  list: [
    { name: 'a', ok: true, port: 80, tags: [] },
    { name: 'b', port: 443, tags: ['t1', 't2'], nothing: null, f: 1.5 },
    { name: 'c', tags: ['t3'] },
  ],
};

// what kubectl 1.32 prints
const printed: readonly (readonly [path: string, text: string])[] = [
  ['{range .list[*]}{.name}:{.port}{"\\n"}{end}', 'a:80\nb:443\nc:\n'],
  ['{range .list[*]}{range .tags[*]}{@},{end};{end}!', ';t1,t2,;t3,;!'],
  ['{range .list[?(@.port)]}{.name}={.port} {end}', 'a=80 b=443 '],
  ['{range .none[*]}x{end}y', 'y'],
  ['{range .list[*]}{.name}', 'abc'],
  ['{..name}', 'a b c thing'],
  ['{.data..}', '{"a":"first","z":"last"} first last'],
  ['{.list[0:2].name}', 'a b'],
  ['{.list[::2].name}', 'a c'],
  ['{.list[1:1]}', ''],
  ['{.list[?(@.name=="b")].tags[-1:]}', 't2'],
  ['{.list[0, 2].name}', 'a c'],
  ["{.list[*]['name','port']}", 'a b c 80 443'],
  ["{.data['z', 'a']}", 'last first'],
  ["{.metadata['labels.b']}", '1'],
  ["{.metadata.labels['app\\.kubernetes\\.io/name']}{.metadata.labels.app\\.kubernetes\\.io/name}", 'xx'],
  ['{.metadata.annotations}', '{"html":"\\u003ca\\u0026b\\u003e"}'],
  ['{.list[*].nothing}', 'null'],
  ['{.list[?(@.port>100)].name}', 'b'],
  ['{.list[?(@.name!="b")].name}', 'a c'],
  ['{.list[?(@.port==443 )].name}', 'b'],
  ['{"a\\u0041\\"b"} {true} {1.50}', 'aA"b true 1.5'],
  ['{$.data.z}{.data.a}x}y', 'lastfirstx}y'],
  ['{.none[0].x}{.data.z.y}{.list.name}{.}', ''],
];

for (const [path, text] of printed) test(`jsonPath ${path}`, () => assert.equal(printPath(thing, path), text));

const unreadable: readonly (readonly [path: string, message: RegExp])[] = [
  ['{.list[9].name}', /9 is beyond the list, which has 3/],
  ['{.list[:10].name}', /:10 is beyond the list/],
  ['{.list[2:0].name}', /2:0 ends before it begins/],
  ['{.list[0:2:0].name}', /must be above 0/],
  ['{.data[0]}', /\{"a":"first","z":"last"\} is no list/],
  ['{.list[?(@.port=="80")].name}', /80 == 80 compares what is not of one type/],
  ['{.list[?(@.name=~"a|b")].name}', /=~ in the path .* is no comparison/],
  ['{.list[?(@.name==b)].name}', /cannot read b of the path/],
  ['{name}', /cannot read name of the path/],
  ['{end}', /\{end\} without \{range/],
  ['{.list....name}', /cannot read \.\./],
];

for (const [path, message] of unreadable)
  test(`jsonPath ${path} is refused`, () => assert.throws(() => printPath(thing, path), { message }));

test('jsonPath goes where kubectl stops: keys with dots, and lists beside an empty one', () => {
  assert.equal(printPath(thing, "{.metadata.labels['app.kubernetes.io/name']}"), 'x');
  assert.equal(printPath(thing, '{.list[*].tags[*]}'), 't1 t2 t3');
  assert.equal(printPath(thing, "{.list[?(@['name']=='a<b')].name}"), '');
  assert.equal(printPath(thing, '{.list[?(@.tags[0])].name}'), 'b c');
});
