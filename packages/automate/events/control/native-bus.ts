import type { Conditions } from './conditions.ts';
import type { BusPass } from './event-bus-steps.ts';

/** Makes the servers of a native bus. */
export async function deployNativeBus(pass: BusPass, conditions: Conditions): Promise<void> {
  conditions.isFalse('Deployed', 'Unsupported', `native servers of ${pass.next.metadata.name} are not made yet`);
}
