import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repackSubsets } from './repack-subsets.ts';

test('orders ports as kube-controller-manager was seen to do', () => {
  const http = { name: 'http', port: 8080, protocol: 'TCP' };
  const metrics = { name: 'm', port: 9091, protocol: 'TCP' };
  const addresses = [{ ip: '10.1.0.1' }];
  assert.deepEqual(repackSubsets([{ addresses, ports: [http, metrics] }]), [{ addresses, ports: [metrics, http] }]);
});

test('puts addresses with the same ports together, sorted, and counts one as not ready that is not so anywhere', () => {
  const ports = [{ port: 80, protocol: 'TCP' }];
  const [one, two] = [{ ip: '10.1.0.1' }, { ip: '10.1.0.2' }];
  assert.deepEqual(
    repackSubsets([
      { addresses: [two], ports },
      { addresses: [one], ports },
      { notReadyAddresses: [two], ports },
    ]),
    [{ addresses: [one], notReadyAddresses: [two], ports }],
  );
});
