import { clusterFaults } from './cluster-faults.ts';
import type { Fault } from './fault.ts';
import { freshFaults } from './fresh-faults.ts';
import { healthFaults } from './health-faults.ts';
import { lateFaults } from './late-faults.ts';
import { manifestFaults } from './manifest-faults.ts';
import { moreFaults } from './more-faults.ts';
import { noticeFaults } from './notice-faults.ts';
import { oddFaults } from './odd-faults.ts';
import { podFaults } from './pod-faults.ts';
import { remoteFaults } from './remote-faults.ts';
import { renderFaults } from './render-faults.ts';
import { routeFaults } from './route-faults.ts';
import { settingsFaults } from './settings-faults.ts';
import { syncFaults } from './sync-faults.ts';
import { unlistedFaults } from './unlisted-faults.ts';
import { unseenFaults } from './unseen-faults.ts';
import { walkedFaults } from './walked-faults.ts';
import { webhookFaults } from './webhook-faults.ts';

/** Every fault of an Application that is injected beside others. */
export const applicationFaults: readonly Fault[] = [
  ...renderFaults,
  ...syncFaults,
  ...healthFaults,
  ...clusterFaults,
  ...remoteFaults,
  ...settingsFaults,
  ...manifestFaults,
  ...podFaults,
  ...routeFaults,
  ...unlistedFaults,
  ...unseenFaults,
  ...oddFaults,
  ...walkedFaults,
  ...webhookFaults,
  ...noticeFaults,
  ...freshFaults,
  ...moreFaults,
  ...lateFaults,
];
