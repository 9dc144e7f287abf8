import { after, before, describe } from 'node:test';
import { freePort } from '../../../../../scripts/testing/free-ports.ts';
import type { KeyReader } from '../../keys/key-reader.ts';
import { busContract } from '../testing/contract.ts';
import { killContract } from '../testing/kill-contract.ts';
import { type ServerProcess, skipWithout, startServer } from '../testing/server-binary.ts';
import { openStanBus } from './stan-bus.ts';

const skip = skipWithout('nats-streaming-server', 'go install github.com/nats-io/nats-streaming-server@v0.22.1');

describe('NATS Streaming', { skip }, () => {
  let server: ServerProcess;
  let port: number;
  before(async () => {
    port = await freePort();
    server = await startServer(
      'nats-streaming-server',
      (folder) => ['-a', '127.0.0.1', '-p', String(port), '-cid', 'c1', '-store', 'file', '-dir', folder],
      /Streaming Server is ready/,
    );
  });
  after(() => server?.stop());
  const keys: KeyReader = { secret: async () => '', configMap: async () => '' };
  const config = () => ({ url: `nats://127.0.0.1:${port}`, clusterID: 'c1' });
  busContract(() => ({ open: () => openStanBus(config(), keys, 'eventbus-ns') }));
  // a queue group gives its other members newer messages while it waits for the one that is gone
  killContract(() => ({ config: { nats: config() }, restart: server.restart, handsToKilled: true }));
});
