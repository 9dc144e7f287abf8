import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endingOf } from './exit-codes.ts';
import { pullMeaning, sandboxMeaning, startRemedies, volumeMeaning } from './kubelet-words.ts';

const image = 'registry.example/certificate-denied/app:1';
const resolve = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": `;
const head = `failed to do request: Head "https://registry.example/v2/app/manifests/1": `;

const pulls: readonly [message: string, cause: RegExp][] = [
  [`${resolve}${image}: not found`, /no such image or tag/],
  [`manifest for ${image} not found: manifest unknown: manifest unknown`, /no such image or tag/],
  [`${resolve}pull access denied, repository does not exist or may require authorization`, /refuses the credential/],
  [`${resolve}failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized`, /refuses/],
  [`${resolve}${head}dial tcp: lookup registry.example on 10.96.0.10:53: no such host`, /registry\.example by DNS/],
  [`${resolve}${head}dial tcp: lookup registry.example: Temporary failure in name resolution`, /by DNS/],
  [`${resolve}${head}dial tcp 192.0.2.7:443: connect: connection refused`, /cannot be reached/],
  [`${resolve}${head}dial tcp 192.0.2.7:443: i/o timeout`, /cannot be reached/],
  [`${resolve}${head}net/http: TLS handshake timeout`, /cannot be reached/],
  [`${resolve}${head}context deadline exceeded`, /cannot be reached/],
  [`${resolve}${head}proxyconnect tcp: dial tcp 192.0.2.9:3128: connect: connection refused`, /proxy of the node/],
  [
    `${resolve}${head}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    /does not trust/,
  ],
  [`${resolve}${head}http: server gave HTTP response to HTTPS client`, /speaks no TLS/],
  [
    `${resolve}unexpected status from HEAD request to https://registry.example/v2/: 503 Service Unavailable`,
    /error of its own/,
  ],
  [
    `${resolve}unexpected status: 429 Too Many Requests - toomanyrequests: You have reached your pull rate limit`,
    /limits the rate/,
  ],
  [`failed to pull and unpack image "${image}": no match for platform in manifest: not found`, /architecture/],
  [`failed to extract layer sha256:00: write /var/lib/x: no space left on device: unknown`, /disk of the node is full/],
  [`Back-off pulling image "${image}"`, /backs off/],
];

test('why an image cannot be pulled is told by what is specific, never by a word of its name', () => {
  for (const [message, cause] of pulls) assert.match(pullMeaning(message, 'ErrImagePull', image).text, cause, message);
});

const starts: readonly [message: string, remedy: RegExp][] = [
  ['container has runAsNonRoot and image will run as root (pod: "a", container: m)', /runAsUser/],
  ['secret "gone" not found', /Create what is missing/],
  ["couldn't find key a in ConfigMap shop/b", /Create what is missing/],
  [
    'failed to create shim task: OCI runtime create failed: exec: "serve": executable file not found in $PATH: unknown',
    /Correct the command/,
  ],
  ['OCI runtime create failed: exec: "/run.sh": permission denied: unknown', /executable/],
  ['exec /app: exec format error', /architecture/],
  ['failed to sync configmap cache: timed out waiting for the condition', /kubelet cannot read/],
  ['error mounting "/x" to rootfs: not a directory: Are you trying to mount a directory onto a file', /volumeMounts/],
  ['context deadline exceeded', /container runtime/],
  ['what nobody has met', /what the message names/],
];

test('a container that cannot be started gets the remedy of its own cause', () => {
  for (const [message, remedy] of starts) assert.match(startRemedies(message).join(), remedy, message);
});

test('volumes, networks and exit codes', () => {
  const held = 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) web-abc';
  assert.match(volumeMeaning(held)?.text ?? '', /used by web-abc/);
  assert.match(
    volumeMeaning(
      'Multi-Attach error for volume "pv-1" Volume is already exclusively attached to one node and can\'t be attached to another',
    )?.text ?? '',
    /another node holds it/,
  );
  assert.match(
    volumeMeaning(
      'MountVolume.MountDevice failed: driver name ebs.csi.example not found in the list of registered CSI drivers',
    )?.text ?? '',
    /ebs\.csi\.example does not run/,
  );
  assert.match(volumeMeaning('mount.nfs: Connection timed out')?.text ?? '', /cannot be reached/);
  assert.match(
    volumeMeaning('mount.nfs: access denied by server while mounting 192.0.2.1:/x')?.text ?? '',
    /refuses the node/,
  );
  assert.equal(volumeMeaning('what nobody has met'), undefined);
  assert.match(
    sandboxMeaning('failed to allocate for range 0: no IP addresses available in range set')?.text ?? '',
    /no free address/,
  );
  assert.match(
    sandboxMeaning('RuntimeHandler "gvisor" not supported: no runtime for "gvisor" is configured')?.text ?? '',
    /gvisor/,
  );
  assert.match(sandboxMeaning('container runtime network not ready: cni plugin not initialized')?.text ?? '', /CNI/);
  assert.equal(endingOf(127, '').how, 'exits with code 127: the command was not found');
  assert.equal(endingOf(139, '').how, 'is ended by SIGSEGV (code 139)');
  assert.equal(endingOf(3, '').how, 'exits with code 3');
  assert.match(endingOf(0, '').remedy, /a Job/);
});
