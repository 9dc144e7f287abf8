import { gzipSync } from 'node:zlib';
import { type Expected, type HostileRow, testHostile } from '../testing/render-hostile.ts';

const invalid = (words: RegExp): Expected => ({ code: 'ChartInvalid', words });
const tooLarge = (words: RegExp): Expected => ({ code: 'ChartTooLarge', words });
const refused = (words: RegExp): Expected => ({ code: 'HelmValuesRefused', words });
const wrongValues = (words: RegExp): Expected => ({ code: 'HelmValuesInvalid', words });
const renders = (text: RegExp): Expected => ({ text });

const chartYaml = 'apiVersion: v2\nname: c\nversion: 1.0.0\n';
const dependency = (name: string): Record<string, string> => ({
  [`charts/${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
});

interface TarEntry {
  readonly name: string;
  readonly data?: string;
  /** `0` a file, `1` a hard link, `2` a symbolic link, `3` a device. */
  readonly type?: string;
  readonly link?: string;
  /** What the header says instead of the true size. */
  readonly size?: number;
}

function tarOf(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(({ name, data = '', type = '0', link = '', size = Buffer.byteLength(data) }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write('0000644\0', 100);
    header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(type, 156);
    header.write(link, 157, 100);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, Buffer.from(data), Buffer.alloc((512 - (Buffer.byteLength(data) % 512)) % 512)];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

const archive = (...entries: TarEntry[]): { archive: Uint8Array } => ({
  archive: gzipSync(tarOf([{ name: 'c/Chart.yaml', data: chartYaml }, ...entries])),
});

/** A hundred megabytes and more of nothing, in a hundred kilobytes. */
function bomb(): Uint8Array {
  const file = tarOf([{ name: 'c/x', data: '\0'.repeat(16 * 1024 * 1024) }]).subarray(0, -1024);
  return gzipSync(
    Buffer.concat([tarOf([{ name: 'c/Chart.yaml', data: chartYaml }]).subarray(0, -1024), ...Array(8).fill(file)]),
  );
}

const archives: readonly HostileRow[] = [
  ['CVE-2025-32386: an archive that unpacks to far more than it is', { archive: bomb() }, tooLarge(/larger than/)],
  [
    'CVE-2019-1000008: an archive with a path out of it',
    archive({ name: 'c/../../x', data: 'x' }),
    invalid(/parent directory|outside/),
  ],
  ['CVE-2020-4053: an archive with an absolute path', archive({ name: 'c//etc/x', data: 'x' }), invalid(/absolute/)],
  ['an archive with a path of Windows', archive({ name: 'c\\..\\..\\x', data: 'x' }), invalid(/parent|outside/)],
  ['an archive with a drive', archive({ name: 'c/d:/x', data: 'x' }), invalid(/illegally named/)],
  [
    'an archive with Chart.yaml outside of a folder',
    archive({ name: 'Chart.yaml', data: 'x' }),
    invalid(/base directory|outside/),
  ],
  [
    'CVE-2019-18658: a link in an archive is a file without content',
    archive({ name: 'c/templates/x.yaml', type: '2', link: '/etc/passwd' }),
    renders(/^$/),
  ],
  ['a hard link in an archive', archive({ name: 'c/templates/x.yaml', type: '1', link: '/etc/passwd' }), renders(/^$/)],
  ['a device in an archive', archive({ name: 'c/templates/x.yaml', type: '3' }), renders(/^$/)],
  ['a size that is not there', archive({ name: 'c/x', data: 'x', size: 8_000_000_000 }), invalid(/unexpected EOF/)],
  [
    'an archive of very many files',
    archive(...Array.from({ length: 20_100 }, (_, i) => ({ name: `c/f${i}`, data: 'x' }))),
    tooLarge(/more than 20000 files/),
  ],
  [
    'two names that differ in case only',
    archive({ name: 'c/templates/x.yaml', data: 'a: one' }, { name: 'c/templates/X.yaml', data: 'b: two' }),
    renders(/a: one\s+b: two|b: two\s+a: one/),
  ],
  ['an archive that is cut off', { archive: archive().archive.subarray(0, 60) }, invalid(/EOF|checksum/)],
  ['no archive at all', { archive: Buffer.from('PK') }, invalid(/EOF/)],
];

const aliases = (levels: number): Record<string, string> => {
  const files: Record<string, string> = {};
  for (let level = 0, path = ''; level <= levels; level++, path += 'charts/c/') {
    const list = Array.from({ length: 6 }, (_, i) => `- {name: c, version: "*", alias: a${i}}\n`).join('');
    files[`${path}Chart.yaml`] = chartYaml + (level < levels ? `dependencies:\n${list}` : '');
  }
  return files;
};

const charts: readonly HostileRow[] = [
  [
    'charts in charts in charts',
    {
      files: Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [`${'charts/c/'.repeat(i)}Chart.yaml`, chartYaml]),
      ),
    },
    invalid(/nested deeper/),
  ],
  ['aliases that multiply', { files: aliases(11) }, tooLarge(/more than 5000 subcharts/)],
  [
    'CVE-2024-25620: a subchart whose name leads out',
    { files: { 'charts/x/Chart.yaml': 'apiVersion: v2\nname: ../../x\nversion: 1.0.0\n' } },
    invalid(/name "..\/..\/x" is invalid/),
  ],
  [
    'CVE-2026-35206: a chart with the name of its parent folder',
    { files: { 'Chart.yaml': 'apiVersion: v2\nname: ..\nversion: 1.0.0\n' } },
    invalid(/not allowed/),
  ],
  [
    'CVE-2020-15184: an alias that is a path',
    {
      files: {
        'Chart.yaml': `${chartYaml}dependencies: [{name: x, version: "*", alias: "../x\\ny"}]\n`,
        ...dependency('x'),
      },
    },
    invalid(/disallowed characters in the alias/),
  ],
  [
    'CVE-2021-21303: a version with control characters',
    { files: { 'Chart.yaml': 'apiVersion: v2\nname: c\nversion: "1.0\\e[2J"\n' } },
    invalid(/version .* is invalid/),
  ],
  [
    'CVE-2025-55198: a maintainer that is null',
    { files: { 'Chart.yaml': `${chartYaml}maintainers: [null]\n` } },
    invalid(/maintainers/),
  ],
  [
    'CVE-2022-23525: a dependency that is null',
    { files: { 'Chart.yaml': `${chartYaml}dependencies: [null]\n` } },
    invalid(/dependencies/),
  ],
  [
    'rules for files that backtrack',
    { files: { '.helmignore': '*a*a*a*a*a*a*a*a*a*b\n', ['a'.repeat(200)]: 'x', 'templates/x.yaml': 'a: b' } },
    renders(/^a: b$/),
  ],
  ['very many rules for files', { files: { '.helmignore': 'x*y\n'.repeat(20_000) } }, invalid(/more than 2000 rules/)],
  [
    'very many files',
    { files: Object.fromEntries(Array.from({ length: 20_100 }, (_, i) => [`f${i}`, 'x'])) },
    tooLarge(/20000 files/),
  ],
  [
    'very many subcharts',
    { files: Object.assign({}, ...Array.from({ length: 5100 }, (_, i) => dependency(`x${i}`))) },
    tooLarge(/more than 5000 subcharts/),
  ],
  [
    'a range of very many versions',
    { files: { 'Chart.yaml': `${chartYaml}kubeVersion: "${'>=1 || '.repeat(100_000)}1"\n` } },
    { code: 'ChartKubeVersionMismatch' },
  ],
];

const nested = (text: string, levels: number): string => text.repeat(levels);
const aliasBomb = Array.from({ length: 12 }, (_, i) => `a${i}: &a${i} [${(i ? `*a${i - 1},` : 'x,').repeat(9)}]`).join(
  '\n',
);
const values = (yaml: string): { files: Record<string, string> } => ({
  files: { 'values.yaml': yaml, 'templates/x.yaml': 'a: {{ .Values | toYaml | len }}' },
});

const yaml: readonly HostileRow[] = [
  ['aliases that multiply in values.yaml', values(aliasBomb), invalid(/excessive aliasing/)],
  [
    'aliases that multiply in a values file',
    { values: { files: [{ name: 'v.yaml', text: aliasBomb }] } },
    wrongValues(/excessive aliasing/),
  ],
  [
    'aliases that multiply in the output',
    { files: { 'templates/x.yaml': aliasBomb } },
    { code: 'HelmManifestInvalid', words: /excessive aliasing/ },
  ],
  ['values that nest in brackets', values(`a: ${nested('[', 1_000_000)}`), invalid(/max depth/)],
  [
    'values that nest by indentation',
    values(Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')),
    invalid(/max depth/),
  ],
  ['values that nest in dashes', values(`a:\n  ${nested('- ', 100_000)}x`), invalid(/max depth/)],
  [
    'an output that nests',
    { files: { 'templates/x.yaml': `a: ${nested('[', 900_000)}` } },
    { code: 'HelmManifestInvalid', words: /max depth/ },
  ],
  ['values of too many bytes', values(`a: ${'x'.repeat(65 * 1024 * 1024)}`), invalid(/larger than/)],
  ['a number of a million digits', values(`a: ${'9'.repeat(9e5)}`), renders(/^a: \d+$/)],
  [
    'an output of very many documents',
    { files: { 'templates/x.yaml': '---\na: b\n'.repeat(50_000) } },
    renders(/^a: b/),
  ],
  ['an output of nothing but separators', { files: { 'templates/x.yaml': '---\n'.repeat(200_000) } }, renders(/^$/)],
  [
    'CVE-2022-36055: --set with a huge index',
    { values: { set: ['a[2147483647]=x'] } },
    wrongValues(/index of 2147483647 is greater/),
  ],
  [
    'CVE-2022-36049: --set with a large index',
    { values: { set: ['a[999999999]=1'] } },
    wrongValues(/greater than maximum/),
  ],
  [
    'CVE-2022-23524: --set that nests',
    { values: { set: [`${'a.'.repeat(1_000_000)}b=1`] } },
    wrongValues(/nested|level/),
  ],
  ['--set-json that nests', { values: { setJson: [`a=${nested('[', 900_000)}`] } }, wrongValues(/./)],
];

const schema = (
  text: unknown,
  own = '{"a": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}',
): { files: Record<string, string> } => ({
  files: {
    'values.yaml': own,
    'values.schema.json': typeof text === 'string' ? text : JSON.stringify(text),
    'templates/x.yaml': 'a: b',
  },
});
const chain = (count: number, last: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`d${i}`, i < count - 1 ? { $ref: `#/definitions/d${i + 1}` } : last]),
  );

const schemas: readonly HostileRow[] = [
  ['a schema that refers to itself', schema({ $ref: '#' }), refused(/cycle/)],
  [
    'CVE-2025-32387: a schema of very many references',
    schema({ $ref: '#/definitions/d0', definitions: chain(30_000, {}) }),
    refused(/refer/),
  ],
  [
    'CVE-2025-55199: a schema that refers to a device',
    schema({ $ref: 'file:///dev/zero' }),
    refused(/failing loading/),
  ],
  ['a schema that refers to the network', schema({ $ref: 'http://127.0.0.1:1/x' }), refused(/fetches nothing/)],
  ['CVE-2022-23526: a schema with null where a schema belongs', schema({ items: null }), refused(/metaschema/)],
  ['a schema of wrong types', schema({ type: 5, required: 'x', properties: [], pattern: 7 }), refused(/metaschema/)],
  [
    'a schema with a pattern that backtracks',
    schema({ properties: { a: { pattern: '^(a+)+$' } } }),
    refused(/pattern/),
  ],
  [
    'a schema whose alternatives multiply',
    schema({
      $ref: '#/definitions/d29',
      definitions: Object.fromEntries(
        Array.from({ length: 30 }, (_, i) => [
          `d${i}`,
          i
            ? { allOf: [{ $ref: `#/definitions/d${i - 1}` }, { $ref: `#/definitions/d${i - 1}` }] }
            : { type: 'object' },
        ]),
      ),
    }),
    refused(/too long/),
  ],
  ['a schema that nests', schema(`${'{"not":'.repeat(200_000)}{}${'}'.repeat(200_000)}`), refused(/depth/)],
  [
    'a schema of too many bytes',
    schema({ enum: Array.from({ length: 1_000_000 }, (_, i) => i) }),
    refused(/larger than/),
  ],
];

testHostile([...archives, ...charts, ...yaml, ...schemas]);
