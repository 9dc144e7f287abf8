import { benchFleet } from './fleet.ts';
import { benchStart } from './start.ts';

/**
 * `npm run bench [-- NAME …]`: start, fleet (real kube-apiserver), fleet-sandbox, helm. Prints tables; `TIPHYS_BENCH_APPLICATIONS`
 * sets the size of the fleet (1000).
 */
const applications = Number(process.env.TIPHYS_BENCH_APPLICATIONS ?? 1000);
const benches: Readonly<Record<string, () => Promise<string>>> = {
  start: () => benchStart(),
  fleet: () => benchFleet('kube', applications),
  'fleet-sandbox': () => benchFleet('sandbox', applications),
};

const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(benches)) {
  const bench = benches[name];
  if (!bench) {
    process.stderr.write(`There is no bench ${name}: choose from ${Object.keys(benches).join(', ')}\n`);
    process.exitCode = 1;
    continue;
  }
  process.stdout.write(`${await bench()}\n\n`);
}
process.exit();
