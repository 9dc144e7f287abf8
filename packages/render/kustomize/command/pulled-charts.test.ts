import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  type HelmRepositoryServer,
  type OciRegistryServer,
  packageChart,
  startHelmRepository,
  startOciRegistry,
} from '@tiphys/registry/testing';
import { kustomizeCommand } from './kustomize-command.ts';

const secret = 'MARKER-secret';
const user = { username: 'robot', password: secret };
const files = {
  'values.yaml': 'size: small\n',
  'values-large.yaml': 'size: large\n',
  'templates/config.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Chart.Name }}\ndata:\n  version: {{ .Chart.Version | quote }}\n  size: {{ .Values.size }}\n',
};

let folder: string;
let repository: HelmRepositoryServer;
let registry: OciRegistryServer;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tiphys-kustomize-'));
  repository = await startHelmRepository();
  const tls = makeCertificate();
  setDefaultCACertificates([...getCACertificates(), tls.cert]);
  registry = await startOciRegistry({ auth: { kind: 'bearer', ...user }, tls });
  for (const version of ['1.0.0', '1.2.0', '2.0.0-rc.1']) {
    repository.add('web', version, packageChart('web', version, files));
    registry.pushChart('charts/web', version, packageChart('web', version, files));
  }
});

after(async () => {
  await repository.close();
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Registries are always asked over TLS here: kustomize has no option for plain HTTP. */
function makeCertificate(): { cert: string; key: string } {
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', certFile, '-days', '2', ...subject], { stdio: 'ignore' });
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

async function build(kustomization: object): Promise<{ code: number; out: string; error: string }> {
  write('top/kustomization.yaml', JSON.stringify(kustomization));
  let [out, error] = ['', ''];
  const code = await kustomizeCommand(['build', '--enable-helm', 'top'], {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
    workdir: folder,
    env: { HOME: join(folder, 'home') },
  });
  assert.ok(!`${out}${error}`.includes(secret), 'a secret is told');
  return { code, out, error };
}

const printed = (version: string, size: string): string =>
  `apiVersion: v1\ndata:\n  size: ${size}\n  version: ${version}\nkind: ConfigMap\nmetadata:\n  name: web\n`;

test('a chart that is not below chartHome comes from its repository', async () => {
  const chart = { name: 'web', repo: repository.url };
  for (const [more, version, size] of [
    [{}, '1.2.0', 'small'],
    [{ version: '1.0.0' }, '1.0.0', 'small'],
    [{ version: '~1.0' }, '1.0.0', 'small'],
    [{ devel: true }, '2.0.0-rc.1', 'small'],
    [{ valuesInline: { size: 'inline' } }, '1.2.0', 'inline'],
    [{ valuesFile: 'charts/web/values-large.yaml' }, '1.2.0', 'large'],
    [{ version: '1.0.0', valuesFile: 'charts/web-1.0.0/web/values-large.yaml' }, '1.0.0', 'large'],
  ] as const) {
    const { code, out, error } = await build({ helmCharts: [{ ...chart, ...more }] });
    assert.deepEqual({ code, out, error }, { code: 0, out: printed(version, size), error: '' });
  }
  assert.deepEqual(readdirSync(join(folder, 'top')), ['kustomization.yaml'], 'nothing is written beside it');
});

test('a chart of a registry is pulled with the credentials of configHome', async () => {
  const { host } = registry;
  const chart = { name: 'web', repo: `oci://${host}/charts/`, version: '1.0.0' };
  const refused = await build({ helmCharts: [chart] });
  assert.equal(refused.code, 1);
  assert.match(refused.error, /credentials: none/);
  assert.match(refused.error, /top\/kustomization\.yaml:1 helmCharts\[0\]/);
  const auth = Buffer.from(`${user.username}:${user.password}`).toString('base64');
  write('helm/registry/config.json', JSON.stringify({ auths: { [host]: { auth } } }));
  const { code, out, error } = await build({ helmCharts: [chart], helmGlobals: { configHome: 'helm' } });
  assert.deepEqual({ code, out, error }, { code: 0, out: printed('1.0.0', 'small'), error: '' });
});

test('a chart that its repository does not have is told in the words of helm, at its entry', async () => {
  const { code, error } = await build({ helmCharts: [{ name: 'absent', repo: repository.url }] });
  assert.equal(code, 1);
  assert.match(error, /^Error: .*chart "absent" not found in http/m);
  assert.match(error, /charts there: web/);
  assert.match(error, /top\/kustomization\.yaml:1 helmCharts\[0\]/);
});
