import { EventLog } from '../embedded/event-log.ts';

/** Appends messages until it is killed; says each number only after the log has committed it. Arguments: file, first number. */
const [file = '', first = '0'] = process.argv.slice(2);
const log = new EventLog(file, {
  now: () => Date.now(),
  onError: (error) => process.stderr.write(`${error}\n`),
});
await log.register('bus', 'reader', 'source.event');
let next = Number(first);
const worker = async () => {
  for (;;) {
    const number = next++;
    await log.append('bus', 'source.event', { id: `id-${number}`, body: String(number) });
    process.stdout.write(`${number}\n`);
  }
};
await Promise.all(Array.from({ length: 8 }, worker));
