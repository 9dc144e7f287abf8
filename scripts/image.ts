import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './architecture.ts';
import { writeApp, writeNode } from './image/app-files.ts';
import { billOfMaterials } from './image/bill-of-materials.ts';
import { command } from './image/command.ts';
import { basePackages, lockBase, unpackBase } from './image/debian-base.ts';
import { bundleExecutor, writeWrapper } from './image/executor-files.ts';
import { type ImageSource, writeOciArchive } from './image/oci-archive.ts';
import { type Platform, platformsOf } from './image/platform.ts';

/**
 * `npm run image -- --out FILE`: writes Tiphys' image as an OCI archive, without a container engine. The same commit gives the
 * same digest. `--lock` pins the newest Debian packages instead; `--newest-base` takes them for this image alone, which is
 * then the same only until Debian serves newer ones: for tests.
 */
const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    platform: { type: 'string', default: 'linux/amd64,linux/arm64' },
    name: { type: 'string', multiple: true },
    'allow-dirty': { type: 'boolean', default: false },
    lock: { type: 'boolean', default: false },
    'newest-base': { type: 'boolean', default: false },
  },
});
const platforms = platformsOf(values.platform);
const say = (text: string) => void process.stdout.write(`${text}\n`);
process.umask(0o022);

if (values.lock) {
  lockBase(platforms);
  say('Wrote deploy/image/base.lock.json');
} else if (values.out) await build(values.out);
else throw new Error('Name the file to write: npm run image -- --out tiphys.tar');

async function build(out: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const git = (...args: string[]) => command('git', args, { cwd: root }).trim();
  if (git('status', '--porcelain') && !values['allow-dirty'])
    throw new Error(
      'The work tree has changes that are in no commit, and an image is of a commit: commit or stash them, or add --allow-dirty to leave them out',
    );
  const commit = git('rev-parse', 'HEAD');
  const created = new Date(Number(git('log', '-1', '--format=%ct')) * 1000).toISOString().replace('.000Z', 'Z');
  const scratch = mkdtempSync(join(tmpdir(), 'tiphys-image-'));
  try {
    say('Web page …');
    const webDist = join(scratch, 'web');
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
    const web = join(root, 'packages', 'serve', 'web');
    command(process.execPath, [vite, 'build', '--outDir', webDist, '--emptyOutDir', '--logLevel', 'warn'], {
      cwd: web,
    });
    const images: ImageSource[] = [];
    for (const platform of platforms)
      images.push(await imageOf(platform, { commit, created, version, webDist, scratch }));
    say('Archive …');
    const names = values.name ?? [`tiphys/tiphys:${version}`];
    const { digest, size } = writeOciArchive(images, { out, names, created, scratch });
    say(`${out}: ${names.join(', ')}, ${digest}, ${(size / 1e6).toFixed(1)} MB`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Build {
  readonly commit: string;
  readonly created: string;
  readonly version: string;
  readonly webDist: string;
  readonly scratch: string;
}

async function imageOf(platform: Platform, { commit, version, webDist, scratch }: Build): Promise<ImageSource> {
  const folder = (name: string) => {
    const path = join(scratch, platform.oci, name);
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o755);
    return path;
  };
  say(`linux/${platform.oci}: base …`);
  const base = basePackages(platform, { newest: values['newest-base'] });
  unpackBase(platform, base, folder('base'));
  say(`linux/${platform.oci}: Node …`);
  writeNode(folder('node'), platform, folder('node-package'));
  say(`linux/${platform.oci}: Tiphys …`);
  const app = folder('app');
  writeApp(app, { commit, webDist, platform });
  const go = writeWrapper(app, { app: join(app, 'app'), platform });
  await bundleExecutor(join(app, 'app'));
  writeFileSync(
    join(app, 'app', 'sbom.cdx.json'),
    billOfMaterials({ app: join(app, 'app'), version, commit, go, base }),
  );
  return {
    architecture: platform.oci,
    layers: [
      { folder: folder('base'), title: 'Debian: git, ssh, certificates, libraries' },
      { folder: folder('node'), title: 'Node' },
      { folder: app, title: `Tiphys ${version} (${commit})` },
    ],
    config: {
      User: '999:999',
      WorkingDir: '/tmp',
      Entrypoint: ['/usr/bin/tini', '--', '/usr/local/bin/tiphys'],
      Cmd: ['up'],
      ExposedPorts: { '8080/tcp': {}, '8082/tcp': {}, '8083/tcp': {}, '8084/tcp': {} },
      Env: [
        'PATH=/usr/local/bin:/usr/bin:/bin',
        'HOME=/tmp',
        'XDG_CACHE_HOME=/tmp/cache',
        'NODE_OPTIONS=--disable-warning=ExperimentalWarning --max-semi-space-size=16',
      ],
      Labels: {
        'org.opencontainers.image.title': 'Tiphys',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.revision': commit,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
  };
}
