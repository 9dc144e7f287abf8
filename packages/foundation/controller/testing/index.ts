export { ScriptedClock } from '../../kubernetes/scripted-clock.ts';
export { MemoryCluster, type Request } from '../memory-cluster.ts';
