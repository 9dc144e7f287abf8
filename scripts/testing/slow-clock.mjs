// Loaded into each Node process of `npm run test:steady`, of whatever version: timers fire late, by a seeded factor each, as on a machine whose clock is slow.
import { createRequire, syncBuiltinESMExports } from 'node:module';

const most = 3;
let state = (Number(process.env.TIPHYS_SLOW_CLOCK_SEED) + process.pid) | 0;
/** From 1 to `most`; mostly small. */
const factor = () => {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return 1 + (most - 1) * ((state >>> 0) / 4294967296) ** 3;
};
// The longest delay that a timer takes; a longer one would fire at once.
const longest = 2 ** 31 - 1;
const late = (delay) => (typeof delay === 'number' && delay > 1 ? Math.min(delay * factor(), longest) : delay);

const require = createRequire(import.meta.url);
const timers = require('node:timers');
const promises = require('node:timers/promises');

/** The function with its delay, which stands at the index, made longer. */
const slowed = (original, index) =>
  Object.defineProperties(function (...args) {
    if (args.length > index) args[index] = late(args[index]);
    return original.apply(this, args);
  }, Object.getOwnPropertyDescriptors(original));

for (const name of ['setTimeout', 'setInterval']) {
  timers[name] = slowed(timers[name], 1);
  globalThis[name] = timers[name];
  promises[name] = slowed(promises[name], 0);
}
syncBuiltinESMExports();
