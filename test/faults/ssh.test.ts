import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Diagnosis } from '@tiphys/diagnosis';
import { freePort } from '../../scripts/testing/free-ports.ts';
import { configMap } from '../e2e/support/manifests.ts';
import { World } from '../e2e/support/world.ts';
import { shownBy } from './fault.ts';

const sshd = [process.env.TIPHYS_SSHD ?? '', '/usr/sbin/sshd', '/usr/local/sbin/sshd'].find(
  (path) => path !== '' && existsSync(path),
);
const skip = sshd && spawnSync('ssh', ['-V']).status === 0 ? false : 'needs ssh and sshd';

/** A real SSH server with a host key that can be changed. */
class Host {
  readonly folder = mkdtempSync(join(tmpdir(), 'tiphys-ssh-'));
  port = 0;
  #daemon: ChildProcess | undefined;

  key(name: string): string {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(this.folder, name)]);
    return readFileSync(join(this.folder, name), 'utf8');
  }

  public(name: string): string {
    return readFileSync(join(this.folder, `${name}.pub`), 'utf8').trim();
  }

  /** `SHA256:…` */
  fingerprint(name: string): string {
    return (
      execFileSync('ssh-keygen', ['-l', '-f', join(this.folder, `${name}.pub`)], { encoding: 'utf8' }).split(' ')[1] ??
      ''
    );
  }

  /** Serves with a host key, on the same port each time. */
  async serve(hostKey: string): Promise<void> {
    await this.stop();
    this.port ||= await freePort();
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
    const config = join(this.folder, 'sshd_config');
    writeFileSync(
      config,
      `ListenAddress 127.0.0.1\nPort ${this.port}\nHostKey ${join(this.folder, hostKey)}\nAuthorizedKeysFile ${join(this.folder, 'client.pub')}\nStrictModes no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin yes\n`,
    );
    this.#daemon = spawn(sshd ?? '', ['-D', '-e', '-f', config], { stdio: 'ignore' });
    for (const deadline = Date.now() + 120_000; !(await answers(this.port)); await pause(50))
      assert.ok(Date.now() < deadline, 'sshd starts');
  }

  async stop(): Promise<void> {
    const daemon = this.#daemon;
    if (!daemon || daemon.exitCode !== null) return;
    const ended = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill();
    await ended;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

describe('the key of an SSH host', { skip }, () => {
  let world: World;
  const host = new Host();
  before(async () => {
    world = await World.start();
  });
  after(async () => {
    await world?.close();
    await host.stop();
    rmSync(host.folder, { recursive: true, force: true });
  });

  const knownHosts = (entry: string) =>
    world.client.patch(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-ssh-known-hosts-cm' },
      'merge',
      { data: { ssh_known_hosts: entry } },
    );
  const entryOf = (name: string) => `[127.0.0.1]:${host.port} ${host.public(name)}\n`;
  const refresh = () =>
    world.client.patch(world.applicationRef('ssh'), 'merge', {
      metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
    });
  const told = async (code: string): Promise<Diagnosis> => {
    const found = await world.waitForApplication('ssh', code, (application) =>
      shownBy(application).some((shown) => shown.code === code),
    );
    return shownBy(found).find((shown) => shown.code === code) as Diagnosis;
  };

  test('is unknown, then known, then changed, and each has another remedy; old and new fingerprints are told', async () => {
    for (const name of ['client', 'first', 'second']) host.key(name);
    await host.serve('first');
    const repository = world.repository({ 'app/a.yaml': configMap('a', 'one') });
    const repoURL = `ssh://${userInfo().username}@127.0.0.1:${host.port}${repository.url}`;
    await world.client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'repo-ssh',
        namespace: world.namespace,
        labels: { 'argocd.argoproj.io/secret-type': 'repository' },
      },
      stringData: { type: 'git', url: repoURL, sshPrivateKey: readFileSync(join(host.folder, 'client'), 'utf8') },
    });
    await world.createApplication('ssh', repository, {
      targetNamespace: await world.targetNamespace(),
      source: { repoURL, path: 'app', targetRevision: 'main' },
      syncPolicy: { automated: {} },
    });

    const unknown = await told('SshHostKeyUnknown');
    assert.match(unknown.message, /The SSH host key of 127\.0\.0\.1 is not known/);
    assert.match(JSON.stringify(unknown.remedies), /argocd-ssh-known-hosts-cm/);
    assert.doesNotMatch(JSON.stringify(unknown), /in between|SshHostKeyChanged/);

    await knownHosts(entryOf('first'));
    await refresh();
    await world.healthy('ssh');

    await host.serve('second');
    await refresh();
    const changed = await told('SshHostKeyChanged');
    const text = JSON.stringify(changed);
    assert.ok(text.includes(host.fingerprint('second')), 'the key that is shown');
    assert.ok(text.includes(host.fingerprint('first')), 'the key that is known');
    assert.match(changed.remedies[0]?.text ?? '', /Ask who runs 127\.0\.0\.1 whether its key was changed/);
    assert.ok(
      changed.remedies.some(({ loses }) => loses),
      'who only replaces it loses the protection',
    );

    await knownHosts(entryOf('second'));
    await refresh();
    await world.waitForApplication('ssh', 'no word of it', ({ status }) => (status?.diagnoses ?? []).length === 0);
  });
});
