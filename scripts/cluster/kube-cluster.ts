import { connect, systemClock } from '@tiphys/kubernetes';
import { startNodes } from '@tiphys/sandbox';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';

/** A real control plane whose pods are played by the sandbox's simulated nodes, as a client. Options and errors as `startControlPlane`. */
export async function startKubeCluster(options: Pick<ControlPlaneOptions, 'progress'> = {}): Promise<ControlPlane> {
  const controlPlane = await startControlPlane(options);
  const client = connect(controlPlane.config, {
    caller: { component: 'nodes', purpose: 'simulated nodes' },
    clock: systemClock,
  });
  const abort = new AbortController();
  const stop = async () => {
    abort.abort(new Error('the cluster stops'));
    await client.close();
    await controlPlane.stop();
  };
  try {
    await startNodes(client, { clock: systemClock, signal: abort.signal });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...controlPlane, stop };
}
