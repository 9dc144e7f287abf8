import { after, before, describe } from 'node:test';
import type { KeyReader } from '../../keys/key-reader.ts';
import { busContract } from '../testing/contract.ts';
import { freePort, type ServerProcess, skipWithout, startServer } from '../testing/server-binary.ts';
import { openKafkaBus } from './kafka-bus.ts';

const skip = skipWithout('kfake-broker', 'a main of franz-go/pkg/kfake, see docs/events.md');

describe('Kafka', { skip }, () => {
  let server: ServerProcess;
  let port: number;
  before(async () => {
    port = await freePort();
    server = await startServer('kfake-broker', () => [`127.0.0.1:${port}`], /listening/);
  });
  after(() => server?.stop());
  const keys: KeyReader = { secret: async () => '', configMap: async () => '' };
  busContract(() => ({ open: () => openKafkaBus({ url: `127.0.0.1:${port}`, topic: 'ns-default' }, keys) }));
});
