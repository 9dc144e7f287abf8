import { after, before, describe } from 'node:test';
import type { KeyReader } from '../../keys/key-reader.ts';
import { busContract, duplicateContract } from '../testing/contract.ts';
import { killContract } from '../testing/kill-contract.ts';
import { freePort, type ServerProcess, skipWithout, startServer } from '../testing/server-binary.ts';
import { openJetStreamBus } from './jetstream-bus.ts';

const skip = skipWithout('nats-server', 'go install github.com/nats-io/nats-server/v2@latest');

describe('JetStream', { skip }, () => {
  let server: ServerProcess;
  let port: number;
  before(async () => {
    port = await freePort();
    server = await startServer(
      'nats-server',
      (folder) => ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)],
      /Server is ready/,
    );
  });
  after(() => server?.stop());
  const keys: KeyReader = { secret: async () => '', configMap: async () => '' };
  const config = () => ({
    url: `nats://127.0.0.1:${port}`,
    streamConfig: 'maxAge: 24h\nreplicas: 1\nduplicates: 300s',
  });
  const under = () => ({ open: () => openJetStreamBus(config(), keys) });
  busContract(under);
  duplicateContract(under);
  killContract(() => ({ config: { jetstream: config() }, restart: server.restart }));
});
