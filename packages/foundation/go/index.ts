export { type CronSchedule, cronSchedule } from './cron-schedule.ts';
export { goDuration, goDurationOrSeconds, readDuration } from './duration.ts';
export { formatDuration, goDurationText } from './duration-text.ts';
export { fnv32a } from './fnv.ts';
export { canBackquote, goQuote, goQuoteRune, isPrint } from './quote.ts';
