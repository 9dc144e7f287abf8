import { runTests } from './testing/run-tests.ts';

/** The tests that kill the process, again and again from other seeds, until it was killed so often: CHAOS_KILLS, 1000 if absent. */
const wanted = Number(process.env['CHAOS_KILLS'] ?? 1000);
/** Of api-faults-crash.test.ts in one round. */
const killsWithFaults = 60;
/** Of that, crash.test.ts and generated-crash.test.ts together. */
const killsOfRound = 58 + killsWithFaults;
/** Of each bus in one round, whose tests have ten minutes each. */
const killsOfBuses = 25;
const first = Number(process.env['CHAOS_SEED'] ?? 1);
let ok = true;
for (let kills = 0, seed = first; ok && kills < wanted; kills += killsOfRound, seed += 1)
  ok = await runTests({
    title: `Kills ${kills + 1} to ${kills + killsOfRound}, CHAOS_SEED=${seed}`,
    include: [
      'test/e2e/crashes/crash.test.ts',
      'test/e2e/crashes/generated-crash.test.ts',
      'test/e2e/crashes/api-faults-crash.test.ts',
    ],
    env: { CHAOS_SEED: String(seed), CHAOS_FAULT_KILLS: String(killsWithFaults) },
  });
for (let kills = 0; ok && kills < wanted; kills += killsOfBuses)
  ok = await runTests({
    title: `The buses of events, their clients and servers, kills ${kills + 1} to ${kills + killsOfBuses}`,
    include: ['packages/automate/events/bus/**/*.test.ts'],
    env: { EVENTS_KILLS: String(killsOfBuses) },
  });
process.exitCode = ok ? 0 : 1;
