import { runTests } from './testing/run-tests.ts';

/**
 * The tests that kill the process, again and again from other seeds, until it was killed so often: CHAOS_KILLS, 1000 if absent; then the embedded
 * bus so often, and the clients and servers of the other buses as often together. Names of buses (`-- jetstream`) run theirs alone.
 */
const wanted = Number(process.env['CHAOS_KILLS'] ?? 1000);
/** Of api-faults-crash.test.ts in one round. */
const killsWithFaults = 60;
/** Of that, crash.test.ts and generated-crash.test.ts together. */
const killsOfRound = 58 + killsWithFaults;
/**
 * How often the clients of each bus are killed, and the servers of NATS with them, and how often of it in one round, whose test has ten minutes:
 * NATS Streaming and Kafka make the next client wait until they miss the heartbeats of the killed one.
 */
const buses = [
  { bus: 'embedded', share: 1, round: 100 },
  { bus: 'jetstream', share: 0.5, round: 100 },
  { bus: 'stan', share: 0.25, round: 25 },
  { bus: 'kafka', share: 0.25, round: 25 },
];
const first = Number(process.env['CHAOS_SEED'] ?? 1);
const only = process.argv.slice(2);
const unknown = only.find((name) => !buses.some(({ bus }) => bus === name));
if (unknown !== undefined)
  throw new Error(`There is no bus ${unknown}; name ${buses.map(({ bus }) => bus).join(', ')}, or none for all`);
let ok = true;
for (let kills = 0, seed = first; ok && only.length === 0 && kills < wanted; kills += killsOfRound, seed += 1)
  ok = await runTests({
    title: `Kills ${kills + 1} to ${kills + killsOfRound}, CHAOS_SEED=${seed}`,
    include: [
      'test/e2e/crashes/crash.test.ts',
      'test/e2e/crashes/generated-crash.test.ts',
      'test/e2e/crashes/api-faults-crash.test.ts',
    ],
    env: { CHAOS_SEED: String(seed), CHAOS_FAULT_KILLS: String(killsWithFaults) },
  });
for (const { bus, share, round } of buses.filter(({ bus }) => only.length === 0 || only.includes(bus)))
  for (let kills = 0; ok && kills < wanted * share; kills += round)
    ok = await runTests({
      title: `Kills ${kills + 1} to ${kills + round} of the bus ${bus}`,
      include: [`packages/automate/events/bus/${bus}/**/*.test.ts`],
      env: { EVENTS_KILLS: String(round) },
    });
process.exitCode = ok ? 0 : 1;
