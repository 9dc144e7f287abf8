import fc from 'fast-check';

/** A chart as files by path, and the flags to render it with; `@/` in a flag stands for the chart's folder. */
export interface ChartCase {
  readonly files: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
}

const names = ['one', 'two', 'three'] as const;
const keys = ['a', 'b', 'c', 'enabled', 'global', 'one', 'two', 'three', 'nick', 'tags', 'front', 'exports'] as const;

type Tree = unknown;

const scalar: fc.Arbitrary<Tree> = fc.constantFrom(null, null, true, false, 0, 1, 2.5, 1e6, '', 'x', 'y z', 'true');
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    scalar,
    fc.array(scalar, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...keys), tie('tree'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const table = fc.dictionary(fc.constantFrom(...keys), tree, { maxKeys: 5, noNullPrototype: true });

/** Values that rarely clash with what a subchart needs: a table under each name of a chart. */
const values = fc
  .record({
    own: table,
    subs: fc.dictionary(fc.constantFrom(...names, 'nick', 'global'), table, { maxKeys: 3, noNullPrototype: true }),
    tags: fc.option(fc.record({ front: fc.boolean() }), { nil: undefined }),
    clash: fc.integer({ min: 0, max: 9 }),
  })
  .map(({ own, subs, tags, clash }) => {
    const all: Record<string, unknown> = clash === 0 ? { ...own } : { ...own, ...subs };
    if (clash > 0)
      for (const name of [...names, 'nick', 'global'])
        if (typeof all[name] !== 'object' || Array.isArray(all[name])) delete all[name];
    if (tags) all['tags'] = tags;
    return all;
  });

interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  readonly condition?: string;
  readonly tags?: readonly string[];
  readonly alias?: string;
  readonly 'import-values'?: readonly unknown[];
}

const dependency = (name: string): fc.Arbitrary<Dependency> =>
  fc
    .record({
      condition: fc.option(
        fc.constantFrom(`${name}.enabled`, 'enabled', 'global.enabled', `a.b,${name}.enabled`, 'nick.enabled', 'b'),
        { nil: undefined },
      ),
      tags: fc.option(fc.constantFrom(['front'], ['back'], ['front', 'back']), { nil: undefined }),
      alias: fc.option(fc.constant('nick'), { nil: undefined, freq: 4 }),
      imports: fc.option(
        fc.array(
          fc.constantFrom<unknown>(
            'data',
            'a',
            { child: 'a', parent: 'got' },
            { child: 'b', parent: '.' },
            { child: 'exports.data', parent: 'c' },
          ),
          { minLength: 1, maxLength: 2 },
        ),
        { nil: undefined, freq: 3 },
      ),
      version: fc.constantFrom('0.1.0', '>=0', '*', '0.1.x'),
    })
    .map(({ condition, tags, alias, imports, version }) => ({
      name,
      version,
      repository: '',
      ...(condition === undefined ? {} : { condition }),
      ...(tags === undefined ? {} : { tags }),
      ...(alias === undefined ? {} : { alias }),
      ...(imports === undefined ? {} : { 'import-values': imports }),
    }));

const template = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Chart.Name }}
values: {{ toJson .Values | quote }}
subcharts: {{ keys .Subcharts | sortAlpha | toJson }}
chart: {{ .Chart.Name }} {{ .Chart.Version }} {{ .Chart.IsRoot }}
template: {{ .Template.Name }} {{ .Template.BasePath }}
`;

function chart(name: string, depth: number): fc.Arbitrary<Record<string, string>> {
  const inner = depth === 0 ? fc.constant([]) : fc.subarray([...names].filter((other) => other !== name));
  return inner.chain((subs) =>
    fc
      .record({
        values,
        version: fc.constantFrom('v2', 'v2', 'v2', 'v1'),
        exported: fc.option(fc.record({ data: table }), { nil: undefined, freq: 2 }),
        dependencies: fc.tuple(...subs.map(dependency)),
        declared: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
        children: fc.tuple(...subs.map((sub) => chart(sub, depth - 1))),
      })
      .map(({ values: own, version, exported, dependencies, declared, children }) => {
        const list = dependencies.filter((_dependency, i) => declared[i] || i === 0);
        const meta = { apiVersion: version, name, version: '0.1.0' };
        const files: Record<string, string> = {
          'values.yaml': JSON.stringify(exported ? { ...own, exports: exported } : own),
          'templates/all.yaml': template,
          'Chart.yaml': JSON.stringify(version === 'v2' && list.length > 0 ? { ...meta, dependencies: list } : meta),
        };
        if (version === 'v1' && list.length > 0) files['requirements.yaml'] = JSON.stringify({ dependencies: list });
        for (const [i, child] of children.entries()) {
          for (const [path, text] of Object.entries(child)) files[`charts/${subs[i]}/${path}`] = text;
        }
        return files;
      }),
  );
}

const path = fc
  .array(fc.constantFrom(...keys, 'd', 'a\\.b', 'l[0]', 'l[1].x'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('.'));
const setValue = fc.constantFrom(
  '1',
  'null',
  'true',
  'x',
  '',
  '{a,b}',
  '{}',
  '012',
  '1.5',
  '-3',
  '1e3',
  'a\\,b',
  '"q"',
  '[1]',
  '9223372036854775808',
  'a=b',
);

/** One flag that sets values, of any grammar. */
const flag: fc.Arbitrary<readonly string[]> = fc.oneof<fc.Arbitrary<readonly string[]>[]>(
  fc.tuple(path, setValue).map(([key, value]) => ['--set', `${key}=${value}`]),
  fc
    .array(
      fc.tuple(path, setValue).map((pair) => pair.join('=')),
      { minLength: 2, maxLength: 3 },
    )
    .map((pairs) => ['--set', pairs.join(',')]),
  fc.tuple(path, setValue).map(([key, value]) => ['--set-string', `${key}=${value}`]),
  fc
    .tuple(path, fc.constantFrom('1', '{"a":{"b":null}}', '[1,{"x":2}]', '"s"', 'null', '{'))
    .map(([key, value]) => ['--set-json', `${key}=${value}`]),
  fc.tuple(path, setValue).map(([key, value]) => ['--set-literal', `${key}=${value}`]),
  fc.constantFrom(
    ['-f', '@/extra.yaml'],
    ['-f', '@/values.yaml'],
    ['-a', 'example.com/v1'],
    ['--is-upgrade'],
    ['--skip-tests'],
  ),
);

/** A chart with subcharts, and flags. */
export const randomChart: fc.Arbitrary<ChartCase> = fc
  .record({ files: chart('root', 2), extra: values, flags: fc.array(flag, { maxLength: 3 }) })
  .map(({ files, extra, flags }) => ({
    files: { ...files, 'extra.yaml': JSON.stringify(extra), '.helmignore': 'extra.yaml\n' },
    flags: flags.flat(),
  }));

/** Flags of any grammar on a chart that prints its values. */
export const randomFlags: fc.Arbitrary<ChartCase> = fc.array(flag, { minLength: 1, maxLength: 4 }).map((flags) => ({
  files: {
    'Chart.yaml': '{"apiVersion":"v2","name":"root","version":"0.1.0"}',
    'values.yaml': '{"a":{"b":1,"c":[1,2]},"l":[{"x":1},2],"d":null,"one":"text"}',
    'extra.yaml': '{"a":{"b":null},"l":[3],"e":{"f":1}}',
    'templates/all.yaml': template,
  },
  flags: flags.flat(),
}));
