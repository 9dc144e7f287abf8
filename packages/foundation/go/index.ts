export { goDuration, goDurationOrSeconds, readDuration } from './duration.ts';
export { formatDuration, goDurationText } from './duration-text.ts';
export { canBackquote, goQuote, goQuoteRune, isPrint } from './quote.ts';
