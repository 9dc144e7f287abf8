import { networkParity } from './network-parity.ts';

/** `node run.ts HELM`: compares with that program. */
const [helm = 'helm'] = process.argv.slice(2);
const { passed, failed } = await networkParity(helm, (text) => console.log(text));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
